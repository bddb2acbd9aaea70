/** The description as a page: plain HTML made from the document. It runs no script and asks nobody for anything. */
import { createHash } from 'node:crypto';
import type { JsonSchema, OpenapiDocument, OpenapiOperation } from './openapi-shape.ts';

export type ReferenceLanguage = 'en' | 'ja';

interface ReferenceWords {
  readonly title: string;
  readonly intro: string;
  readonly role: string;
  readonly query: string;
  readonly body: string;
  readonly answer: string;
  readonly needed: string;
  readonly none: string;
}

const words: Readonly<Record<ReferenceLanguage, ReferenceWords>> = {
  en: {
    title: 'HTTP API',
    intro: 'Made from <a href="/openapi.json">openapi.json</a>, which is made from what checks the requests.',
    role: 'Role',
    query: 'Parameters',
    body: 'Body',
    answer: 'Answer',
    needed: 'required',
    none: 'nobody needs one',
  },
  ja: {
    title: 'HTTP API',
    intro:
      '<a href="/openapi.json">openapi.json</a> から作られています。それ自体は、リクエストを検査するものから作られています。',
    role: 'ロール',
    query: 'パラメーター',
    body: '本文',
    answer: '応答',
    needed: '必須',
    none: '不要',
  },
};

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.5rem; } h2 { margin-top: 2.5rem; border-bottom: 1px solid; } h3 { margin: 1.75rem 0 .25rem; font-size: 1rem; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 4px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: .5rem 0; }
dt { opacity: .75; } dd { margin: 0; min-width: 0; }
nav ul { columns: 3 14rem; padding-left: 1rem; } summary { cursor: pointer; }`;

export const referencePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function apiReferencePage({ info, paths }: OpenapiDocument, language: ReferenceLanguage): string {
  const say = words[language];
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))].sort();
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag));
    return `<section id="${escapeHtml(tag)}"><h2>${escapeHtml(tag)}</h2>${own.map((each) => operationHtml(each, say)).join('')}</section>`;
  });
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Kannuki ${say.title}</title><style>${style}</style></head>
<body><h1>Kannuki ${escapeHtml(info.version)}: ${say.title}</h1><p>${say.intro}</p>
<nav><ul>${tags.map((tag) => `<li><a href="#${escapeHtml(tag)}">${escapeHtml(tag)}</a></li>`).join('')}</ul></nav>
<main>${sections.join('')}</main></body></html>`;
}

interface Shown {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenapiOperation;
}

function operationHtml({ method, path, operation }: Shown, say: ReferenceWords): string {
  const { operationId, summary, parameters = [], requestBody, responses } = operation;
  const role = operation['x-role'];
  const items = [
    [say.role, role === 'anyone' ? say.none : `<code>${escapeHtml(role)}</code>`],
    ...(parameters.length > 0
      ? [
          [
            say.query,
            parameters
              .map(
                ({ name, in: place, required, schema }) =>
                  `<code>${escapeHtml(name)}</code> (${place}${required ? `, ${say.needed}` : ''}) <code>${escapeHtml(inShort(schema))}</code>`,
              )
              .join('<br>'),
          ],
        ]
      : []),
    ...Object.entries(requestBody?.content ?? {}).map(([, { schema }]) => [say.body, schemaHtml(schema)]),
    ...Object.entries(responses).map(([status, { description, content }]) => [
      `${say.answer} ${escapeHtml(status)}`,
      `${escapeHtml(description)} ${Object.entries(content)
        .map(([type, { schema }]) =>
          type === 'application/json' ? schemaHtml(schema) : `<code>${escapeHtml(type)}</code>`,
        )
        .join('')}`,
    ]),
  ];
  return `<article id="${escapeHtml(operationId)}"><h3><code>${method} ${escapeHtml(path)}</code></h3><p>${escapeHtml(summary)}</p><dl>${items
    .map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`)
    .join('')}</dl></article>`;
}

function schemaHtml(schema: JsonSchema): string {
  return `<details><summary><code>${escapeHtml(inShort(schema))}</code></summary><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre></details>`;
}

/** The names of the fields, or the type. */
function inShort(schema: JsonSchema): string {
  const { properties, required, anyOf, oneOf, type } = schema as {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
    readonly anyOf?: readonly JsonSchema[];
    readonly oneOf?: readonly JsonSchema[];
    readonly type?: unknown;
  };
  if (properties) {
    const names = Object.keys(properties).map((name) => (required?.includes(name) ? name : `${name}?`));
    return `{ ${names.join(', ')} }`;
  }
  const either = anyOf ?? oneOf;
  if (either) return either.map(inShort).join(' | ');
  return typeof type === 'string' ? type : 'any';
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
