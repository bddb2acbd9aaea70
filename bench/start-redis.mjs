/** A Redis server of one's own for a benchmark: on a free port of 127.0.0.1, nothing on disk. Ends with this process. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export async function startRedis() {
  const version = /v=([\d.]+)/.exec(execFileSync('redis-server', ['--version'], { encoding: 'utf8' }))?.[1];
  const port = await findFreePort();
  const server = spawn(
    'redis-server',
    ['--bind', '127.0.0.1', '--port', `${port}`, '--save', '', '--appendonly', 'no'],
    {
      stdio: 'ignore',
    },
  );
  const end = () => server.kill('SIGKILL');
  process.once('exit', end);
  while (!(await answers(port))) await sleep(20);
  return {
    port,
    version,
    pause: () => server.kill('SIGSTOP'),
    resume: () => server.kill('SIGCONT'),
    async stop() {
      process.off('exit', end);
      const exited = once(server, 'exit');
      end();
      await exited;
    },
  };
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const done = (ready) => {
      socket.destroy();
      resolve(ready);
    };
    socket.once('data', (data) => done(String(data).startsWith('+PONG')));
    socket.once('error', () => done(false));
  });
}

async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
