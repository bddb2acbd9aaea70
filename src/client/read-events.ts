/** Server-sent events, as they come. A block without an event still moves the place. */
export interface SentEvent {
  readonly id: string;
  /** Empty: a sign of life. */
  readonly event: string;
  readonly data: string;
}

export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<SentEvent> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let id = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true }).replace(/\r\n?/g, '\n');
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const block = readBlock(text.slice(0, end));
        text = text.slice(end + 2);
        id = block.id ?? id;
        yield { id, event: block.event, data: block.data };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function readBlock(block: string): { readonly id?: string; readonly event: string; readonly data: string } {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    fields.set(name, name === 'data' && fields.has('data') ? `${fields.get('data')}\n${value}` : value);
  }
  const id = fields.get('id');
  return { ...(id !== undefined && { id }), event: fields.get('event') ?? '', data: fields.get('data') ?? '' };
}
