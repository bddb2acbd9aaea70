/** The slot of a key in a cluster: CRC16 (XMODEM) of the part in braces, of 16,384. */
export function keySlot(name: string): number {
  const open = name.indexOf('{');
  const close = name.indexOf('}', open + 1);
  const part = open >= 0 && close > open + 1 ? name.slice(open + 1, close) : name;
  let crc = 0;
  for (const byte of new TextEncoder().encode(part)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc % 16_384;
}
