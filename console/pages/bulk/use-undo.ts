import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../api/api.tsx';
import { type Created, type CreatedRow, dropRemoved, setUndoing } from './created.ts';
import { type Outcome, removed, undoRows } from './undo-calls.ts';

export type KeptRow = { loginId: string; enrollId: string; reason: string };

export type UndoRun = {
  state: 'running' | 'stopped' | 'failed' | 'done';
  isPlan: boolean;
  rows: number;
  of: number;
  /** Whether it waits for the rate limit. */
  isWaiting: boolean;
  /** For a plan, what would be removed. */
  removed: number;
  staying: KeptRow[];
  error: unknown;
};

/** The outcomes so far, in the order of the rows. */
type Work = { isPlan: boolean; rows: readonly CreatedRow[]; outcomes: Outcome[]; earlier: number };

function sumOf({ rows, outcomes, earlier }: Work): Pick<UndoRun, 'rows' | 'removed' | 'staying'> {
  const sum = { rows: earlier, removed: earlier, staying: [] as KeptRow[] };
  for (const [at, [loginId, enrollId]] of rows.entries()) {
    const reason = outcomes[at];
    if (reason === undefined) continue;
    sum.rows++;
    if (reason === removed) sum.removed++;
    else sum.staying.push({ loginId, enrollId, reason });
  }
  return sum;
}

/** Milliseconds between updates of the page and of the device's record. */
const updateEvery = { page: 150, record: 1_000 };

/**
 * Plans an undo, and withdraws the enrolments. Withdrawals are saved on the device at least once a
 * second, so that an interrupted undo can be continued even after the tab has been closed.
 */
export function useUndo(undone: Created) {
  const api = useApi();
  const queries = useQueryClient();
  const [run, setRun] = useState<UndoRun | null>(null);
  const work = useRef<Work | null>(null);
  const stopping = useRef<AbortController | null>(null);
  useEffect(() => () => stopping.current?.abort(), []);

  const resume = async () => {
    const started = work.current;
    if (!started) return;
    const { isPlan, rows, outcomes, earlier } = started;
    const stop = new AbortController();
    stopping.current = stop;
    const show = (state: UndoRun['state'], { error = null as unknown, isWaiting = false } = {}) => {
      if (work.current !== started) return;
      const of = rows.length + earlier;
      setRun({ ...sumOf(started), state, isPlan, of, isWaiting, error });
    };
    const at = { page: Date.now(), record: Date.now() };
    const isDue = (what: keyof typeof at) => {
      if (Date.now() - at[what] < updateEvery[what]) return false;
      at[what] = Date.now();
      return true;
    };
    const unsaved: CreatedRow[] = [];
    const save = () => dropRemoved(undone.id, unsaved.splice(0));
    const positions = new Map(rows.map((row, at) => [row, at]));
    const onOutcome = (row: CreatedRow, outcome: Outcome) => {
      outcomes[positions.get(row) ?? 0] = outcome;
      if (outcome === removed && !isPlan) unsaved.push(row);
      if (isDue('record')) save();
      if (isDue('page')) show('running');
    };
    const onWait = () => show('running', { isWaiting: true });
    try {
      show('running');
      if (!isPlan) setUndoing(undone.id, true);
      const left = rows.filter((_, at) => outcomes[at] === undefined);
      await undoRows(api, left, { isPlan, signal: stop.signal, onOutcome, onWait });
      save();
      if (!isPlan) setUndoing(undone.id, false);
      show('done');
    } catch (error) {
      save();
      if (stop.signal.aborted) show('stopped');
      else show('failed', { error: error ?? {} });
    }
    if (!isPlan) void queries.invalidateQueries();
  };

  const start = (isPlan: boolean) => {
    const earlier = isPlan ? 0 : undone.removed;
    work.current = { isPlan, rows: undone.rows, outcomes: [], earlier };
    void resume();
  };
  return { run, start, resume, stop: () => stopping.current?.abort() };
}
