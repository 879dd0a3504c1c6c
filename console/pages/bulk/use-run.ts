import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../api/api.tsx';
import { sendChunk } from './call.ts';
import { bodyOf, rowChunksOf } from './chunks.ts';
import { type ChunkOutcome, type Sum, sumOf, toOutcome } from './outcome.ts';
import type { Source } from './source.ts';
import { type Subject, subjectInfo } from './subjects.ts';

export type Input = {
  subject: Subject;
  source: Source;
  fields: readonly (string | null)[];
  /** Null for a plan. */
  requestKey: string | null;
};

export type Run = {
  state: 'running' | 'stopped' | 'failed' | 'done';
  isPlan: boolean;
  /** Results so far, including those of the current chunk. */
  rows: number;
  of: number;
  sum: Sum;
  error: unknown;
};

type Work = { input: Input; outcomes: (ChunkOutcome | undefined)[] };

/** Sends a file chunk by chunk, as a plan or an import. An interrupted run continues where it stopped. */
export function useRun(onDone: (input: Input) => void) {
  const api = useApi();
  const [run, setRun] = useState<Run | null>(null);
  const work = useRef<Work | null>(null);
  const stopping = useRef<AbortController | null>(null);
  useEffect(() => () => stopping.current?.abort(), []);

  const resume = async () => {
    if (!work.current) return;
    const { input, outcomes } = work.current;
    const { source, fields, subject, requestKey } = input;
    const stop = new AbortController();
    stopping.current = stop;
    let sum = sumOf(outcomes);
    const show = (state: Run['state'], isInProgress = 0, error: unknown = null) => {
      if (work.current?.outcomes !== outcomes) return;
      const isPlan = requestKey === null;
      setRun({ state, isPlan, rows: sum.rows + isInProgress, of: source.rows, sum, error });
    };
    try {
      for (const chunk of rowChunksOf(source)) {
        const known = outcomes[chunk.index];
        if (known && known.temporary === 0) continue;
        if (known) {
          outcomes[chunk.index] = undefined;
          sum = sumOf(outcomes);
        }
        show('running');
        const lines = await sendChunk(api, {
          path: subjectInfo[subject].path,
          requestKey: requestKey && `${requestKey}-${chunk.index}`,
          isCsv: source.csv !== null,
          body: await bodyOf(source, fields, chunk),
          rows: chunk.to - chunk.from,
          signal: stop.signal,
          onRows: (rows) => show('running', rows),
        });
        outcomes[chunk.index] = toOutcome(lines, chunk.from, (row) => source.lines[row] ?? 0);
        sum = sumOf(outcomes);
      }
      show('done');
      onDone(input);
    } catch (error) {
      if (stop.signal.aborted) show('stopped');
      else show('failed', 0, error ?? {});
    }
  };

  const start = (input: Input) => {
    work.current = { input, outcomes: [] };
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
