/** A customer without a browser: the cookie that the booking page gives, and the calls it makes. */

export interface TestCustomer {
  readonly cookie: string;
  get(path: string): Promise<Response>;
  post(path: string, body: object, origin?: string): Promise<Response>;
  /** Keeps a time of tomorrow, or of another day. */
  hold(wish: {
    readonly slotNumber: number;
    readonly filmTitle: string;
    readonly name?: string;
    readonly idempotencyKey?: string;
  }): Promise<Response>;
}

export async function bookAs(url: string, daysAhead = 1): Promise<TestCustomer> {
  const begun = await fetch(`${url}/api/v1/booking/session`, { method: 'POST', headers: { origin: url } });
  const cookie = (begun.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { site } = (await begun.json()) as { site: { today: string } };
  const projectionDate = new Date(Date.parse(site.today) + daysAhead * 86_400_000).toISOString().slice(0, 10);
  const post: TestCustomer['post'] = (path, body, origin = url) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, origin },
      body: JSON.stringify(body),
    });
  return {
    cookie,
    get: (path) => fetch(`${url}${path}`, { headers: { cookie } }),
    post,
    hold: (wish) =>
      post('/api/v1/booking/hold', {
        idempotencyKey: crypto.randomUUID(),
        projectionDate,
        name: 'Ren',
        email: 'ren@example.jp',
        locale: 'en',
        ...wish,
      }),
  };
}
