/** Reads and changes rollouts. Every change names the version it was decided on and leaves a row that says who. */
import type { SqlDatabase, SqlExecutor } from '../../core/ports.ts';
import { nextPhase, type Phase, previousPhase } from '../../core/rollout/phase.ts';
import {
  checkRolloutSettings,
  defaultRolloutSettings,
  type Rollout,
  type RolloutSettings,
} from '../../core/rollout/rollout.ts';
import { changeRolloutStatement } from './sql/change-rollout.ts';
import { createRolloutStatement } from './sql/create-rollout.ts';
import { listRolloutChangesStatement } from './sql/list-rollout-changes.ts';
import { readRolloutStatement } from './sql/read-rollout.ts';
import { TelemetryError } from './telemetry-error.ts';
import type { VersionPage } from './version-page.ts';

export interface RolloutsOptions {
  readonly database: SqlDatabase;
  /** Settings of a rollout that is read for the first time. */
  readonly settings?: RolloutSettings;
}

export interface RolloutChange {
  readonly version: number;
  readonly atMs: number;
  readonly actor: string;
  readonly action: 'set' | 'promote' | 'rollback';
  readonly before: { readonly phase: Phase; readonly settings: RolloutSettings };
  readonly after: { readonly phase: Phase; readonly settings: RolloutSettings };
}

export interface ChangeRequest {
  /** The rollout as it was read: the change is refused if it is another one by now. */
  readonly rollout: Rollout;
  readonly actor: string;
}

export interface Rollouts {
  /** The rollout by its name, made in phase A-0 when it is asked for the first time. */
  read(name: string): Promise<Rollout>;
  /** To any phase, or with other settings. Throws `rollout-changed` when somebody was quicker. */
  set(
    request: ChangeRequest & { readonly phase?: Phase; readonly settings?: Partial<RolloutSettings> },
  ): Promise<Rollout>;
  promote(request: ChangeRequest): Promise<Rollout>;
  /** To `phase`, which must be an earlier one. @default the phase before */
  rollback(request: ChangeRequest & { readonly phase?: Phase }): Promise<Rollout>;
  /** The same, inside the caller's transaction; undefined when somebody was quicker. */
  rollbackIn(tx: SqlExecutor, request: ChangeRequest & { readonly phase: Phase }): Promise<Rollout | undefined>;
  /** Newest first. */
  listChanges(name: string, page?: VersionPage): Promise<readonly RolloutChange[]>;
}

export function createRollouts({ database, settings = defaultRolloutSettings }: RolloutsOptions): Rollouts {
  const schema = `"${database.schema}"`;
  const text = {
    change: changeRolloutStatement(schema),
    create: createRolloutStatement(schema),
    listChanges: listRolloutChangesStatement(schema),
    read: readRolloutStatement(schema),
  };
  checkSettings(settings);

  const find = async (name: string): Promise<Rollout | undefined> =>
    (await database.query<Rollout>({ text: text.read, values: [name] })).rows[0];

  const change = async (
    on: SqlExecutor,
    { rollout, actor }: ChangeRequest,
    action: RolloutChange['action'],
    to: { readonly phase: Phase; readonly settings: RolloutSettings },
  ): Promise<Rollout | undefined> => {
    const values = [rollout.name, rollout.version, to.phase, JSON.stringify(to.settings), actor, action];
    return (await on.query<Rollout>({ text: text.change, values })).rows[0];
  };

  const mustChange = async (...args: Parameters<typeof change>): Promise<Rollout> => {
    const changed = await change(...args);
    if (changed) return changed;
    const { rollout } = args[1];
    throw new TelemetryError(
      `The rollout "${rollout.name}" is no longer at version ${rollout.version}: read it again and decide again.`,
      { code: 'rollout-changed', retryable: true },
    );
  };

  const rollbackTarget = ({ phase }: Rollout, wanted: Phase | undefined): Phase => {
    const to = wanted ?? previousPhase(phase);
    if (to === undefined || to >= phase) {
      throw new TelemetryError(
        to === undefined
          ? `The rollout is in ${phase}, the first phase: there is none to go back to.`
          : `The rollout is in ${phase}: ${to} is not an earlier phase.`,
        { code: 'no-such-phase' },
      );
    }
    return to;
  };

  return {
    async read(name) {
      const found = await find(name);
      if (found) return found;
      await database.query({ text: text.create, values: [name, 'A-0', JSON.stringify(settings)] });
      const made = await find(name);
      if (!made)
        throw new TelemetryError(`The rollout "${name}" was removed while it was read.`, {
          code: 'rollout-changed',
          retryable: true,
        });
      return made;
    },

    async set(request) {
      const { rollout } = request;
      const merged = { ...rollout.settings, ...request.settings };
      checkSettings(merged);
      return mustChange(database, request, 'set', { phase: request.phase ?? rollout.phase, settings: merged });
    },

    async promote(request) {
      const { phase, settings } = request.rollout;
      const to = nextPhase(phase);
      if (!to) throw new TelemetryError(`The rollout is in ${phase}, the last phase.`, { code: 'no-such-phase' });
      return mustChange(database, request, 'promote', { phase: to, settings });
    },

    async rollback(request) {
      const { rollout } = request;
      return mustChange(database, request, 'rollback', {
        phase: rollbackTarget(rollout, request.phase),
        settings: rollout.settings,
      });
    },

    async rollbackIn(tx, request) {
      const { rollout } = request;
      return change(tx, request, 'rollback', {
        phase: rollbackTarget(rollout, request.phase),
        settings: rollout.settings,
      });
    },

    async listChanges(name, { limit = 100, beforeVersion } = {}) {
      const values = [name, limit, beforeVersion ?? null];
      return (await database.query<RolloutChange>({ text: text.listChanges, values })).rows;
    },
  };
}

function checkSettings(settings: RolloutSettings): void {
  const [wrong] = checkRolloutSettings(settings);
  if (wrong !== undefined) throw new TelemetryError(wrong, { code: 'invalid-argument' });
}
