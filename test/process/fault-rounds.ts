/** The short form runs in `npm test`; `npm run faults` sets the long counts. */
export function faultRounds(name: string, short: number): number {
  const given = process.env[`KANNUKI_FAULTS_${name}`];
  return given === undefined ? short : Number(given);
}

/** One machine-readable line per experiment. */
export function reportFault(summary: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`fault-summary ${JSON.stringify(summary)}\n`);
}
