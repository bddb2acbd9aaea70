/** An object's id, whether it came as an id or as the object itself. */
export function wireId(value: string | { readonly id: string } | null): string {
  return typeof value === 'string' ? value : (value?.id ?? '');
}
