/**
 * What we write on the provider's objects, and how we know them again. Metadata comes back as text whatever was sent,
 * and anybody with access to the account can write there: it is read like input.
 */
export type Metadata = Readonly<Record<string, string>>;

/** Says that an object is ours, and whose: two installations may share one account. */
const marker = 'kannuki';

export function writePaymentMetadata(
  namespace: string,
  ids: { readonly reservationId: number; readonly ledgerId?: number },
): Record<string, string> {
  return {
    [marker]: namespace,
    reservationId: String(ids.reservationId),
    ...(ids.ledgerId === undefined ? {} : { ledgerId: String(ids.ledgerId) }),
  };
}

/** An id of ours; undefined when the object is not ours or the text is not an id. */
export function readPaymentMetadata(
  namespace: string,
  metadata: Metadata | null | undefined,
  name: 'reservationId' | 'ledgerId',
): number | undefined {
  if (metadata?.[marker] !== namespace) return undefined;
  const text = metadata[name];
  return text !== undefined && /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))
    ? Number(text)
    : undefined;
}
