import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { type Line, sendChunk } from './call.ts';
import { checkRows, type Finding, type Findings } from './checks.ts';
import { bodyOf, type RowChunk, rowChunksOf } from './chunks.ts';
import { openRecorder } from './created-recorder.ts';
import { type DateOrder, dateOrderOf } from './dates.ts';
import type { AddedFields } from './existing.ts';
import { viewerOf } from './import-keys.ts';
import { type ChunkOutcome, type Sum, sumOf, toOutcome } from './outcome.ts';
import type { Send } from './send-rows.ts';
import type { Source } from './source.ts';
import { hasCourses, type Subject, subjectInfo } from './subjects.ts';

export type Input = {
  subject: Subject;
  source: Source;
  fields: readonly (string | null)[];
  /** Fields that are added to every row. */
  added: AddedFields;
  /** Whether rows with common mistakes are left out. */
  isChecked: boolean;
  /** Null for a plan. */
  requestKey: string | null;
  /** Names the import in the list of recent imports. Changes to existing records have no name. */
  name?: string;
  /** Replaces the bulk call. */
  send?: Send;
};

export type Run = {
  state: 'running' | 'stopped' | 'failed' | 'done';
  isPlan: boolean;
  /** For undoing the import. */
  importId: string | null;
  /** Whether the device had enough space to remember what was created. */
  isKept: boolean;
  /** Results so far, including those of the current chunk. */
  rows: number;
  of: number;
  sum: Sum;
  error: unknown;
};

type Work = {
  input: Input;
  findings: Findings | null;
  order: DateOrder;
  outcomes: (ChunkOutcome | undefined)[];
  at: number;
  isKept: boolean;
};

/** Sends a file chunk by chunk, as a plan or an import. An interrupted run continues where it stopped. */
export function useRun(onDone: (input: Input) => void) {
  const api = useApi();
  const viewer = viewerOf(useSession());
  const t = useTranslations('bulk.findings');
  const [run, setRun] = useState<Run | null>(null);
  const work = useRef<Work | null>(null);
  const stopping = useRef<AbortController | null>(null);
  useEffect(() => () => stopping.current?.abort(), []);

  const resume = async () => {
    if (!work.current) return;
    const started = work.current;
    const { input, outcomes } = started;
    const { source, fields, added, subject, isChecked, requestKey, name } = input;
    const stop = new AbortController();
    stopping.current = stop;
    let sum = sumOf(outcomes);
    const show = (state: Run['state'], isInProgress = 0, error: unknown = null) => {
      if (work.current?.outcomes !== outcomes) return;
      const isPlan = requestKey === null;
      const { isKept } = started;
      const rows = sum.rows + isInProgress;
      const importId = name === undefined ? null : requestKey;
      setRun({ state, isPlan, importId, isKept, rows, of: source.rows, sum, error });
    };
    const isRecorded = name !== undefined && requestKey !== null && started.isKept;
    const recorder = isRecorded
      ? openRecorder(
          { id: requestKey, viewer, tenant: api.tenant, subject, name, at: started.at },
          (isKept) => {
            started.isKept = isKept;
          },
        )
      : null;
    const detailOf = ({ code, value, otherLine }: Finding) => t(code, { value, line: otherLine ?? 0 });
    try {
      show('running');
      if (!started.findings) {
        started.order = await dateOrderOf(source, fields.indexOf('ExpiresAt'), stop.signal);
        started.findings = isChecked ? await checkRows(source, input, started.order, stop.signal) : new Map();
      }
      const { findings, order } = started;
      const isBoth = hasCourses(subject, source.csv ? fields : source.columns);
      for (const chunk of rowChunksOf(source)) {
        const known = outcomes[chunk.index];
        if (known && known.temporary === 0) continue;
        if (known) {
          outcomes[chunk.index] = undefined;
          sum = sumOf(outcomes);
        }
        show('running');
        const rows = rowsOf(chunk).filter((row) => !findings.has(row)).length;
        const sending = {
          requestKey: requestKey && `${requestKey}-${chunk.index}`,
          signal: stop.signal,
          onRows: (rows: number) => show('running', rows),
        };
        const sent = input.send
          ? await input.send(chunk, sending)
          : await sendChunk(api, {
              ...sending,
              path: subjectInfo[subject].path,
              isCsv: source.csv !== null,
              body: await bodyOf(source, fields, chunk, {
                added,
                order,
                isOmitted: (row) => findings.has(row),
              }),
              rows,
              onLines: (lines) => recorder?.add(lines),
            });
        const lines = withFindings(sent, chunk, findings, detailOf);
        outcomes[chunk.index] = toOutcome(lines, chunk.from, (row) => source.lines[row] ?? 0, isBoth);
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
    work.current = { input, findings: null, order: null, outcomes: [], at: Date.now(), isKept: true };
    void resume();
  };
  const clear = () => {
    stopping.current?.abort();
    work.current = null;
    setRun(null);
  };
  return { run, start, resume, clear, stop: () => stopping.current?.abort() };
}

const rowsOf = ({ from, to }: RowChunk) => Array.from({ length: to - from }, (_, at) => from + at);

/** The results for all rows of a chunk. Rows that were not sent get a result from the console's own checks. */
function withFindings(
  sent: readonly Line[],
  chunk: RowChunk,
  findings: Findings,
  detailOf: (finding: Finding) => string,
): Line[] {
  const results = sent.values();
  return rowsOf(chunk).flatMap((row) => {
    const finding = findings.get(row);
    if (!finding) return results.next().value ?? [];
    const { code, field, loginId } = finding;
    return {
      ...{ Row: row - chunk.from + 1, Status: 422, code, detail: detailOf(finding) },
      ...(field === null ? {} : { param: field }),
      ...(loginId === null ? {} : { LoginID: loginId }),
    };
  });
}

export type Running = ReturnType<typeof useRun>;
