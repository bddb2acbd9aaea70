import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkedApp } from '../../../test/servers/checked-app.ts';
import { memoryStore } from '../../stores/memory/index.ts';
import { apiToken } from '../authenticate.ts';
import { createServerApp } from '../create-server-app.ts';
import { routeDescriptions } from '../route-descriptions.ts';
import { routes } from '../routes.ts';
import { openapiDocument } from './openapi-document.ts';
import type { OpenapiDocument, OpenapiOperation } from './openapi-shape.ts';

const document = openapiDocument(routes, '1.2.3');

const app = createServerApp({
  store: memoryStore(),
  tokens: [apiToken({ name: 'eye', role: 'viewer', secret: 'v'.repeat(64) })],
  version: '1.2.3',
});
const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  checkedApp(app).fetch(new Request(`http://test${path}`, { headers }));

/** What OpenAPI 3.1 demands of a document, as far as ours can go wrong. */
const keyword = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});
const content = z.record(z.string().regex(/^[\w.+-]+\/[\w.+-]+$/), z.strictObject({ schema: keyword }));
const operation = z.strictObject({
  operationId: z.string().regex(/^[a-z][A-Za-z]+$/),
  summary: z.string().regex(/^[A-Z].*[.]$/),
  tags: z.array(z.string()).length(1),
  security: z.array(z.partialRecord(z.enum(['session', 'token']), z.array(z.string()))),
  'x-role': z.string(),
  parameters: z
    .array(
      z.strictObject({
        name: z.string(),
        in: z.enum(['header', 'path', 'query']),
        required: z.boolean(),
        description: z.string().optional(),
        schema: keyword,
      }),
    )
    .min(1)
    .optional(),
  requestBody: z.strictObject({ required: z.boolean(), content }).optional(),
  responses: z.record(
    z.string().regex(/^(2\d\d|default)$/),
    z.strictObject({ description: z.string().min(1), content }),
  ),
});
const shape = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(
    z.string().startsWith('/'),
    z.record(z.enum(['get', 'post', 'put']), operation).or(z.looseObject({})),
  ),
  components: z.strictObject({
    schemas: z.record(z.string(), keyword),
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.string() })),
  }),
});

function operations({ paths }: OpenapiDocument): readonly [string, OpenapiOperation][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]): [string, OpenapiOperation] => [
      `${method.toUpperCase()} ${path}`,
      operation.parse(each) && each,
    ]),
  );
}

describe('the OpenAPI document', () => {
  it('is well formed: shapes, references, names, parameters of paths', () => {
    shape.parse(document);
    const all = operations(document);
    const ids = all.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [name, { parameters = [] }] of all) {
      const named = [...name.matchAll(/\{(\w+)\}/g)].map(([, part]) => part);
      expect(parameters.filter((each) => each.in === 'path').map((each) => each.name)).toEqual(named);
    }
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target ?? '');
    expect(references.length).toBeGreaterThan(0);
    for (const target of new Set(references)) {
      const found = target
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[part], document);
      expect(found, target).toBeDefined();
    }
  });

  it('has every route, and nothing else', () => {
    const names = operations(document).map(([name]) => name.replace(/\{(\w+)\}/g, ':$1'));
    expect(names.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
    expect(Object.keys(routeDescriptions).sort()).toEqual(names.sort());
  });

  it('says what requests are checked by', () => {
    const acquire = document.paths['/api/v1/leases/acquire']?.post?.requestBody?.content['application/json']?.schema;
    expect(acquire).toMatchObject({
      type: 'object',
      additionalProperties: false,
      required: ['key', 'ttlMs'],
      properties: { ttlMs: { type: 'number', minimum: 50, maximum: 86_400_000 } },
    });
    expect(document.paths['/api/v1/runs']?.get?.parameters).toContainEqual(
      expect.objectContaining({ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1_000 } }),
    );
  });

  it('is served to anyone, with the routes that this server has', async () => {
    const served = (await (await get('/openapi.json')).json()) as OpenapiDocument;
    expect(served.info.version).toBe('1.2.3');
    expect(served.paths['/api/v1/leases']).toBeDefined();
    expect(served.paths['/api/v1/stream']).toBeUndefined();
  });
});

describe('the reference page', () => {
  it('shows every route, in both languages, without script or anything from elsewhere', async () => {
    const response = await get('/docs/api');
    const page = await response.text();
    for (const [, { operationId }] of operations(
      openapiDocument(
        routes.filter(({ system }) => !system),
        '',
      ),
    )) {
      expect(page).toContain(`<article id="${operationId}">`);
    }
    expect(page).not.toMatch(/<script|src=|@import|url\(|https?:/);
    const policy = response.headers.get('content-security-policy') ?? '';
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
    expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(policy).toContain("default-src 'none'");
    expect(page.match(/<style/g)).toHaveLength(1);
    expect(page).not.toContain('style=');
    expect(await (await get('/docs/api', { 'accept-language': 'ja,en;q=0.5' })).text()).toContain('<html lang="ja">');
  });
});
