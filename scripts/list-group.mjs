import { readdirSync, readFileSync } from 'node:fs';

/**
 * The live processes of a process group, as "pid command". Zombies do not count: only their parent can bury them.
 * Where there is no /proc nothing is listed.
 */
export function listGroup(group) {
  return processIds().flatMap((pid) => {
    try {
      // "pid (command) state parent group …"; the command may hold blanks and brackets.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(processGroup) !== group || state === 'Z' || state === 'X') return [];
      return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()}`];
    } catch {
      // It ended while we looked.
      return [];
    }
  });
}

function processIds() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
