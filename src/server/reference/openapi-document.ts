/** The OpenAPI 3.1 document of a server: its routes, and the schemas by which it checks what it is sent. */
import { z } from 'zod';
import type { Route } from '../route.ts';
import type { RouteDescription } from '../route-description.ts';
import { descriptionOf } from '../route-descriptions.ts';
import type { JsonSchema, OpenapiDocument, OpenapiOperation, OpenapiParameter } from './openapi-shape.ts';

const problem = z.object({
  title: z.string(),
  status: z.int(),
  code: z.string().meta({ description: 'Stable, for programs.' }),
  detail: z.string().meta({ description: 'One sentence, for people.' }),
});

export function openapiDocument(routes: readonly Route[], version: string): OpenapiDocument {
  const paths: Record<string, Record<string, OpenapiOperation>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, descriptionOf(route)) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Kannuki',
      version,
      description: 'Leases, jobs and what runs on them. Failures are RFC 9457 problem details with a stable `code`.',
    },
    paths,
    components: {
      schemas: { Problem: jsonSchema(problem, 'output') },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: 'kannuki_session' },
      },
    },
  };
}

function operationOf(route: Route, description: RouteDescription): OpenapiOperation {
  const parameters = parametersOf(route, description);
  return {
    operationId: route.handle.name,
    summary: description.summary,
    tags: [tagOf(route.path)],
    security: securityOf(route.role),
    'x-role': route.role,
    ...(parameters.length > 0 && { parameters }),
    ...(description.body && {
      requestBody: {
        required: description.bodyOptional !== true,
        content: { 'application/json': { schema: jsonSchema(description.body, 'input') } },
      },
    }),
    responses: responsesOf(description),
  };
}

function parametersOf({ path, method }: Route, { query, once }: RouteDescription): readonly OpenapiParameter[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: name === 'id' ? { type: 'integer', minimum: 1 } : { type: 'string' },
  }));
  const schema = query && jsonSchema(query, 'input');
  const required = (schema?.required ?? []) as readonly string[];
  const inQuery = Object.entries((schema?.properties ?? {}) as Readonly<Record<string, JsonSchema>>).map(
    ([name, property]) => ({ name, in: 'query' as const, required: required.includes(name), schema: property }),
  );
  return [...inPath, ...inQuery, ...(method === 'POST' ? [idempotencyKey(once)] : [])];
}

function idempotencyKey(once: string | undefined): OpenapiParameter {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: once ?? 'Repeated with the same request it gets the same answer, for a day.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  };
}

function responsesOf({ answer, statuses = [200], problems = [] }: RouteDescription): OpenapiOperation['responses'] {
  const [description, content] =
    answer instanceof z.ZodType
      ? ['Done.', { 'application/json': { schema: jsonSchema(answer, 'output') } }]
      : [answer.of, { [answer.contentType]: { schema: { type: 'string' } } }];
  return {
    ...Object.fromEntries(statuses.map((status) => [status, { description, content }])),
    default: {
      description: `A problem${problems.length > 0 ? `; in particular ${problems.join(', ')}` : ''}.`,
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  };
}

function securityOf(role: Route['role']): OpenapiOperation['security'] {
  if (role === 'anyone') return [];
  return role === 'internal' ? [{ token: [] }] : [{ token: [] }, { session: [] }];
}

/** The part of the path after the version. */
function tagOf(path: string): string {
  const [, first = '', , third] = path.split('/');
  return first === 'api' && third ? third : 'server';
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
