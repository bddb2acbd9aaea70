/** → 1 row, locked until the transaction ends; null: nothing was remembered yet */
export function lockSandboxBookStatement(schema: string): string {
  return `
select b.memory from ${schema}.sandbox_book b where b.id = 1 for update`;
}
