/**
 * Runs programs as children with a process group of their own. When we are told to stop, or a child takes too long,
 * its whole group is ended by number: SIGTERM, and SIGKILL to what is still there after five seconds.
 */
import { spawn } from 'node:child_process';
import { listGroup } from './list-group.mjs';
import { repositoryRoot } from './repository-root.mjs';

const graceMs = 5_000;
const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'];
const running = new Set();
let stopping = false;

/** True once we were told to stop: nothing further should be started. */
export function isStopping() {
  return stopping;
}

/**
 * Runs Node with these arguments in the root of the repository.
 * @param {string} name what it is called in messages
 * @param {readonly string[]} args the first is a script
 * @param {{ capture?: boolean, cwd?: string, env?: Record<string, string>, limitMs?: number }} [options]
 *   capture: collect its output instead of passing it on
 * @returns {Promise<{ code: number, output: string, seconds: number, left: readonly string[] }>} It never rejects.
 *   left: what the child started and left running; it has been ended.
 */
export function runChild(name, args, options = {}) {
  return runProgram(name, process.execPath, args, options);
}

/** Like `runChild`, with any program. */
export function runProgram(name, program, args, options = {}) {
  const { capture = false, cwd = repositoryRoot, env = {}, limitMs } = options;
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      detached: true,
      env: { ...process.env, ...env },
      stdio: ['ignore', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'],
    });
    addRunning(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    const endLate = () => {
      output += `\n${name} was ended after ${Math.round(limitMs / 1000)} s.`;
      endGroup(child.pid);
    };
    const timer = limitMs === undefined ? undefined : setTimeout(endLate, limitMs);
    const finish = async (code, message) => {
      clearTimeout(timer);
      const left = child.pid === undefined ? [] : await findLeft(child.pid);
      if (left.length > 0) signalGroup(child.pid, 'SIGKILL');
      if (!removeRunning(child)) return;
      resolve({ code, output: output + message, seconds: (performance.now() - startedMs) / 1000, left });
    };
    child.on('error', (error) => finish(127, `${name} could not be started: ${error.message}`));
    child.on('close', (code, signal) => finish(code ?? 1, signal ? `\n${name} was ended by ${signal}.` : ''));
  });
}

/** Only while children run do we listen for signals: who imports this module keeps its own otherwise. */
function addRunning(child) {
  if (running.size === 0) for (const signal of signals) process.on(signal, stop);
  running.add(child);
}

function removeRunning(child) {
  const wasRunning = running.delete(child);
  if (wasRunning && running.size === 0) for (const signal of signals) process.off(signal, stop);
  return wasRunning;
}

function stop() {
  stopping = true;
  for (const child of running) endGroup(child.pid);
}

/** What is on its way out gets two seconds to leave. */
async function findLeft(group) {
  for (let tries = 0; tries < 20 && listGroup(group).length > 0; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return listGroup(group);
}

function endGroup(pid) {
  signalGroup(pid, 'SIGTERM');
  setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs).unref();
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}
