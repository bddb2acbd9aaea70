/**
 * Lets time pass at once, for the database and for the sandboxes alike. Every statement of reservations asks one
 * function of the database for the time; here it is replaced by one that adds what has "passed".
 */
export async function timeMachine(database) {
  const schema = `"${database.schema}"`;
  let passedMs = 0;
  const set = () =>
    database.query({
      text: `create or replace function ${schema}.reservations_now() returns timestamptz language sql stable
             as $$ select statement_timestamp() + interval '${passedMs} milliseconds' $$`,
    });
  await set();
  return {
    clock: {
      monotonicMs: () => performance.now() + passedMs,
      wallMs: () => Date.now() + passedMs,
      after(delayMs, run, { background = false } = {}) {
        const timer = setTimeout(run, delayMs);
        if (background) timer.unref();
        return { cancel: () => clearTimeout(timer) };
      },
    },
    async pass(ms) {
      passedMs += ms;
      await set();
    },
  };
}
