import type { Call } from '../call.ts';
import { apiReferencePage, referencePolicy } from '../reference/api-reference-page.ts';

/** The description for people, in the language that their browser asks for. */
export function getApiReference({ services, request }: Call): Response {
  const [first = ''] = (request.headers.get('accept-language') ?? '').split(',');
  const page = apiReferencePage(services.openapi(), /^ja\b/i.test(first) ? 'ja' : 'en');
  return new Response(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'accept-language',
      'content-security-policy': referencePolicy,
      'referrer-policy': 'no-referrer',
    },
  });
}
