import { useEffect, useRef, useState } from 'react';
import type { AutoSave, SavedVersion } from '../../../src/browser/autosave/index.ts';
import { compareTexts, countChanges } from './compare-texts.ts';
import { readStoryboard, type Storyboard, storyboardText } from './storyboard.ts';

export interface HistoryEntry extends SavedVersion {
  readonly key: string;
  /** Undefined: it does not prove itself. */
  readonly board: Storyboard | undefined;
  /** Against the version before it. */
  readonly added: number;
  readonly removed: number;
}

/** The saved versions, newest first, each with its document. Read again whenever `change` is another one. */
export function useHistory(
  autosave: AutoSave<Storyboard> | null,
  change: unknown,
): readonly HistoryEntry[] | undefined {
  const [entries, setEntries] = useState<readonly HistoryEntry[]>();
  // A version never changes, so each is read once.
  const boards = useRef(new Map<string, Storyboard | undefined>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: `change` says when to look again.
  useEffect(() => {
    if (!autosave) return;
    let isGone = false;
    const look = async (): Promise<void> => {
      const versions = await autosave.listHistory();
      for (const version of versions) {
        const key = keyOf(version);
        if (boards.current.has(key)) continue;
        const document = await autosave.previewFrom(version.time).catch(() => undefined);
        boards.current.set(key, document && readStoryboard(document));
      }
      if (!isGone) setEntries(describe(versions, boards.current));
    };
    look().catch(() => {
      if (!isGone) setEntries([]);
    });
    return () => {
      isGone = true;
    };
  }, [autosave, change]);
  return entries;
}

function describe(
  versions: readonly SavedVersion[],
  boards: ReadonlyMap<string, Storyboard | undefined>,
): readonly HistoryEntry[] {
  return versions.map((version, i) => {
    const board = boards.get(keyOf(version));
    const before = versions[i + 1];
    const older = before && boards.get(keyOf(before));
    const parts = board ? compareTexts(older ? storyboardText(older) : '', storyboardText(board)) : [];
    return { ...version, key: keyOf(version), board, ...countChanges(parts) };
  });
}

function keyOf({ time, token, seq }: SavedVersion): string {
  return `${time}-${token}-${seq}`;
}
