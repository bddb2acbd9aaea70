/** The Dockerfile and the compose file: readable, without secrets, without root, healthy by their own word. */
import { readYaml, type YamlMap, type YamlValue } from './read-yaml.ts';
import type { RepositoryFile } from './repository.ts';

export function findContainerFaults(files: readonly RepositoryFile[]): readonly string[] {
  return files.flatMap(({ path, text }) => {
    if (path === 'Dockerfile') return dockerfileFaults(text).map((fault) => `${path}: ${fault}`);
    if (path === 'compose.yaml') return composeFaults(text).map((fault) => `${path}: ${fault}`);
    if (path === 'docs/deploy.md') return manifestFaults(text).map((fault) => `${path}: ${fault}`);
    return [];
  });
}

const secretName = /TOKEN|PASSWORD|SECRET|_KEY/;
const known = 'FROM RUN COPY WORKDIR ENV USER VOLUME EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD'.split(' ');

interface Instruction {
  readonly name: string;
  readonly rest: string;
}

function dockerfileFaults(text: string): readonly string[] {
  const joined = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ');
  const instructions = joined
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): Instruction => {
      const [name = '', ...rest] = line.trim().split(/\s+/);
      return { name, rest: rest.join(' ') };
    });
  const last = instructions.slice(instructions.map(({ name }) => name).lastIndexOf('FROM'));
  const of = (name: string): readonly Instruction[] => last.filter((one) => one.name === name);
  const faults: string[] = [];
  if (instructions[0]?.name !== 'FROM') faults.push('it does not begin with FROM.');
  for (const { name, rest } of instructions) {
    if (!known.includes(name)) faults.push(`${name} is not one of ${known.join(', ')}.`);
    if (name === 'FROM' && !/^[\w./-]+:\d[\w.-]*( AS \w+)?$/.test(rest)) faults.push(`${rest}: name a version.`);
    if (name === 'ENV' && secretName.test(rest)) faults.push(`ENV ${rest}: a secret would stay in the image.`);
    if (name === 'RUN' && /\b(sudo|chmod 777|curl[^|]*\|)/.test(rest)) faults.push(`RUN ${rest}: not like this.`);
    if ((name === 'ENTRYPOINT' || name === 'CMD') && !isWordList(rest))
      faults.push(`${name} needs the form with brackets: a shell would keep signals to itself.`);
    if (name === 'HEALTHCHECK' && !isWordList(rest.replace(/^.*? CMD /, '')))
      faults.push('HEALTHCHECK cannot be read.');
  }
  const user = of('USER').at(-1)?.rest ?? 'root';
  if (/^(root|0)(:|$)/.test(user)) faults.push('it would run as root.');
  if (of('HEALTHCHECK').length === 0) faults.push('there is no HEALTHCHECK.');
  if (of('ENTRYPOINT').length === 0) faults.push('there is no ENTRYPOINT.');
  return faults;
}

function isWordList(text: string): boolean {
  try {
    const words = JSON.parse(text) as unknown;
    return Array.isArray(words) && words.every((word) => typeof word === 'string');
  } catch {
    return false;
  }
}

function composeFaults(text: string): readonly string[] {
  let file: YamlMap;
  try {
    file = readYaml(text) as YamlMap;
  } catch (error) {
    return [String(error)];
  }
  const services = Object.entries((file.services ?? {}) as Readonly<Record<string, YamlMap>>);
  const declared = Object.keys((file.volumes ?? {}) as YamlMap);
  const faults: string[] = [];
  if (services.filter(([, { image }]) => image === 'kannuki:local').length !== 2)
    faults.push('two servers are promised.');
  for (const [name, service] of services) {
    const fault = (what: string): number => faults.push(`${name}: ${what}`);
    if (!/:\w/.test(String(service.image)) || /:latest$/.test(String(service.image)))
      fault('its image names no version.');
    if (!isMap(service.healthcheck)) fault('it has no healthcheck.');
    if (service.privileged !== undefined || /^(root|0)/.test(String(service.user ?? ''))) fault('it would be root.');
    for (const [key, value] of Object.entries((service.environment ?? {}) as YamlMap)) {
      const plain = String(value).replace(/\$\{\w+:\?[^}]*\}/g, '');
      if (secretName.test(key) ? plain !== '' : /\/\/[^/@:]+:[^/@]+@/.test(plain)) fault(`${key} holds a secret.`);
    }
    for (const port of listOf(service.ports))
      if (!/^127\.0\.0\.1:/.test(port)) fault(`${port} is open to the network.`);
    for (const volume of listOf(service.volumes))
      if (!declared.includes(volume.split(':')[0] ?? '')) fault(`${volume} is not declared.`);
    for (const [other, condition] of Object.entries((service.depends_on ?? {}) as Readonly<Record<string, YamlMap>>)) {
      if (!services.some(([known_]) => known_ === other)) fault(`it depends on ${other}, which is not there.`);
      if (condition.condition !== 'service_healthy') fault(`it does not wait until ${other} is healthy.`);
    }
  }
  return faults;
}

/** The Kubernetes example in the docs: every document has a kind and a name, and what it refers to is there. */
function manifestFaults(text: string): readonly string[] {
  const [, blocks = ''] = /```yaml\n([\s\S]*?)```/.exec(text) ?? [];
  const faults: string[] = [];
  for (const part of blocks.split(/^---\n/m)) {
    try {
      const { apiVersion, kind, metadata, spec } = readYaml(part) as YamlMap;
      if (!apiVersion || !kind || !(metadata as YamlMap)?.name)
        faults.push('a document has no apiVersion, kind or name.');
      const containers = JSON.stringify(spec ?? null);
      if (kind === 'Deployment' && !/"readinessProbe"/.test(containers))
        faults.push('the Deployment has no readinessProbe.');
      if (kind === 'Deployment' && !/"runAsNonRoot":"true"/.test(containers))
        faults.push('the Deployment may run as root.');
      if (kind === 'Secret') faults.push('a Secret does not belong in an example: it would be copied with its value.');
    } catch (error) {
      faults.push(String(error));
    }
  }
  return faults;
}

function isMap(value: YamlValue | undefined): value is YamlMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: YamlValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
