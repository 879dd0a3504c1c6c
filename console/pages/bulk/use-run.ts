import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { sendChunk } from './call.ts';
import { bodyOf, rowChunksOf } from './chunks.ts';
import { openRecorder } from './created-recorder.ts';
import { viewerOf } from './import-keys.ts';
import { type ChunkOutcome, type Sum, sumOf, toOutcome } from './outcome.ts';
import type { Send } from './send-rows.ts';
import type { Source } from './source.ts';

export type Input = {
  source: Source;
  /** Null for a plan. */
  requestKey: string | null;
  /** Names the enrolments in the list of what can be undone. Changes to existing records have no name. */
  name?: string;
  /** Replaces the bulk call. */
  send?: Send;
};

export type Run = {
  state: 'running' | 'stopped' | 'failed' | 'done';
  isPlan: boolean;
  /** For undoing the enrolments. */
  importId: string | null;
  /** Whether the device had enough space to remember what was created. */
  isKept: boolean;
  /** Results so far, including those of the current chunk. */
  rows: number;
  of: number;
  sum: Sum;
  error: unknown;
};

type Work = { input: Input; outcomes: (ChunkOutcome | undefined)[]; at: number; isKept: boolean };

/** Sends rows chunk by chunk, as a plan or for good. An interrupted run continues where it stopped. */
export function useRun(onDone: (input: Input) => void) {
  const api = useApi();
  const viewer = viewerOf(useSession());
  const [run, setRun] = useState<Run | null>(null);
  const work = useRef<Work | null>(null);
  const stopping = useRef<AbortController | null>(null);
  useEffect(() => () => stopping.current?.abort(), []);

  const resume = async () => {
    if (!work.current) return;
    const started = work.current;
    const { input, outcomes } = started;
    const { source, requestKey, name } = input;
    const stop = new AbortController();
    stopping.current = stop;
    let sum = sumOf(outcomes);
    const show = (state: Run['state'], isInProgress = 0, error: unknown = null) => {
      if (work.current?.outcomes !== outcomes) return;
      const isPlan = requestKey === null;
      const { isKept } = started;
      const rows = sum.rows + isInProgress;
      const importId = name === undefined ? null : requestKey;
      setRun({ state, isPlan, importId, isKept, rows, of: source.cells.length, sum, error });
    };
    const isRecorded = name !== undefined && requestKey !== null && started.isKept;
    const recorder = isRecorded
      ? openRecorder({ id: requestKey, viewer, tenant: api.tenant, name, at: started.at }, (isKept) => {
          started.isKept = isKept;
        })
      : null;
    try {
      show('running');
      for (const chunk of rowChunksOf(source)) {
        const known = outcomes[chunk.index];
        if (known && known.temporary === 0) continue;
        if (known) {
          outcomes[chunk.index] = undefined;
          sum = sumOf(outcomes);
        }
        show('running');
        const sending = {
          requestKey: requestKey && `${requestKey}-${chunk.index}`,
          signal: stop.signal,
          onRows: (rows: number) => show('running', rows),
        };
        const lines = input.send
          ? await input.send(chunk, sending)
          : await sendChunk(api, {
              ...sending,
              path: '/enrol/bulk',
              isCsv: true,
              body: bodyOf(source, chunk),
              rows: chunk.to - chunk.from,
              onLines: (lines) => recorder?.add(lines),
            });
        outcomes[chunk.index] = toOutcome(lines, chunk.from);
        sum = sumOf(outcomes);
      }
      recorder?.end();
      show('done');
      onDone(input);
    } catch (error) {
      recorder?.end();
      if (stop.signal.aborted) show('stopped');
      else show('failed', 0, error ?? {});
    }
  };

  const start = (input: Input) => {
    work.current = { input, outcomes: [], at: Date.now(), isKept: true };
    void resume();
  };
  const clear = () => {
    stopping.current?.abort();
    work.current = null;
    setRun(null);
  };
  return { run, start, resume, clear, stop: () => stopping.current?.abort() };
}

export type Running = ReturnType<typeof useRun>;
