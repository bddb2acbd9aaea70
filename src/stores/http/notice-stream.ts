/**
 * Notices by one long reply, a line of JSON each. It is live from the server's first line, `ready`, until it ends or
 * falls silent: a server that vanished without a word closes nothing, so silence counts as the end.
 */
import { LeaseError } from '../../core/errors.ts';
import type { Clock, Notice, Subscription } from '../../core/ports.ts';
import type { HttpClient } from './http-client.ts';
import { noticeLine, readReply } from './reply-shapes.ts';

export interface NoticeStreamOptions {
  readonly client: HttpClient;
  readonly process: string;
  readonly onNotice: (notice: Notice) => void;
  readonly clock: Clock;
  /** How long the first line may take. */
  readonly timeoutMs: number;
}

/** The server says something every 5 s. */
const silenceMsMax = 15_000;

export async function openNoticeStream(options: NoticeStreamOptions): Promise<Subscription> {
  const { client, process, onNotice, clock, timeoutMs } = options;
  const ended = new AbortController();
  const body = await client.open(
    { method: 'GET', path: `/notices?process=${encodeURIComponent(process)}` },
    ended.signal,
  );
  let live = false;
  let silence = clock.after(timeoutMs, () => ended.abort(), { background: true });
  const heard = (): void => {
    silence.cancel();
    if (!ended.signal.aborted) silence = clock.after(silenceMsMax, () => ended.abort(), { background: true });
  };

  const reading = new Promise<void>((resolve, reject) => {
    const readAll = async (): Promise<void> => {
      for await (const line of linesOf(body)) {
        heard();
        const notice = readReply(noticeLine, parseLine(line), client.base);
        if (notice.kind === 'ready') {
          live = true;
          resolve();
        } else if (notice.kind !== 'alive' && live) onNotice(notice);
      }
    };
    void readAll()
      .catch((cause: unknown) => cause)
      .then((cause) => {
        live = false;
        silence.cancel();
        ended.abort();
        reject(
          new LeaseError(`The Kannuki server at ${client.base} ended the stream of notices before it began.`, {
            code: 'store-unavailable',
            retryable: true,
            cause,
          }),
        );
      });
  });
  await reading;
  return {
    isLive: () => live,
    async close() {
      live = false;
      ended.abort();
    },
  };
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    // The longest notice is a key and a few numbers; more without an end of line is not our server.
    if (rest.length > lineMax) return;
    yield* parts;
  }
}

const lineMax = 16_384;

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
