/**
 * Logs in a bucket of S3 or of anything that speaks like it. An object appears when it is complete. It is written from
 * a file in the system's temporary folder, because the length of a request must be known before its first byte.
 */
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JobError } from '../job-error.ts';
import type { LogArchive } from './log-archive.ts';

export interface S3ArchiveOptions {
  readonly bucket: string;
  /** Before every key, with its slash. @default '' */
  readonly prefix?: string;
  /** @default what the SDK finds: AWS_REGION, its configuration files */
  readonly region?: string;
  /** URL of a server that is not Amazon's. */
  readonly endpoint?: string;
  /** Bucket in the path instead of the host's name. @default true when an endpoint is given */
  readonly pathStyle?: boolean;
  /** @default what the SDK finds: environment, profile, the machine's role */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

type Sdk = typeof import('@aws-sdk/client-s3');

export function s3Archive(options: S3ArchiveOptions): LogArchive {
  const { bucket, prefix = '' } = options;
  let opened: Promise<{ readonly sdk: Sdk; readonly client: InstanceType<Sdk['S3Client']> }> | undefined;
  const connect = (): NonNullable<typeof opened> => (opened ??= openClient(options));
  return {
    refPrefix: `s3://${bucket}/${prefix}`,
    async write(key, chunks) {
      const { sdk, client } = await connect();
      const dir = await mkdtemp(join(tmpdir(), 'kannuki-log-'));
      try {
        const file = join(dir, 'log.gz');
        await writeAll(file, chunks);
        const { size } = await stat(file);
        // A body that was read cannot be sent again, so a request that failed is made anew, with a new body.
        await retried(() =>
          client.send(
            new sdk.PutObjectCommand({
              Bucket: bucket,
              Key: prefix + key,
              Body: createReadStream(file),
              ContentLength: size,
              ContentType: 'application/gzip',
            }),
          ),
        );
      } finally {
        await rm(dir, { recursive: true, force: true });
      }
    },
    async *read(key, fromByte) {
      const { sdk, client } = await connect();
      const Range = fromByte === 0 ? undefined : `bytes=${fromByte}-`;
      const { Body } = await client
        .send(new sdk.GetObjectCommand({ Bucket: bucket, Key: prefix + key, ...(Range && { Range }) }))
        .catch((cause: unknown) => {
          if (!(cause instanceof sdk.NoSuchKey)) throw cause;
          throw new JobError(`The archived log s3://${bucket}/${prefix}${key} is not there.`, {
            code: 'log-missing',
            cause,
          });
        });
      if (Body) yield* Body as AsyncIterable<Uint8Array>;
    },
    async remove(key) {
      const { sdk, client } = await connect();
      await client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: prefix + key }));
    },
  };
}

async function openClient({
  endpoint,
  region,
  credentials,
  pathStyle = endpoint !== undefined,
}: S3ArchiveOptions): Promise<{ readonly sdk: Sdk; readonly client: InstanceType<Sdk['S3Client']> }> {
  const sdk = await import('@aws-sdk/client-s3').catch((cause: unknown) => {
    throw new JobError('An archive in a bucket needs the package @aws-sdk/client-s3; install it beside kannuki.', {
      code: 'unsupported',
      cause,
    });
  });
  const client = new sdk.S3Client({
    forcePathStyle: pathStyle,
    // What went wrong is thrown; the SDK would print it on the console as well.
    logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
    // Servers that only resemble S3 do not know the newer sums; ours is compared after the write anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(region === undefined ? endpoint !== undefined && { region: 'us-east-1' } : { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials && { credentials }),
  });
  return { sdk, client };
}

async function writeAll(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of chunks) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
}

async function retried<T>(send: () => Promise<T>): Promise<T> {
  const triesMax = 3;
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      if (tries >= triesMax) throw error;
    }
  }
}
