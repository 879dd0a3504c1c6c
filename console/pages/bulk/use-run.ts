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
import { findSameEmails, type Warning, warningsOf } from './same-emails.ts';
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
  /** Rows that, according to the plan, would create a second user with almost the same LoginID. */
  similar: Map<number, Finding>;
  /** Only in plans: rows with the address of an earlier row. */
  sameEmails: ReadonlyMap<number, Warning>;
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
        const own = isChecked ? await checkRows(source, input, started.order, stop.signal) : [];
        const found = new Map([...own, ...(requestKey === null ? [] : started.similar)]);
        if (requestKey === null)
          started.sameEmails = await findSameEmails(source, input, (row) => found.has(row), stop.signal);
        started.findings = found;
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
        const asked = rowsOf(chunk).filter((row) => !findings.has(row));
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
              rows: asked.length,
              onLines: (lines) => recorder?.add(lines),
            });
        // JSON lines are not checked, because they come from programs.
        if (isChecked && source.csv) addSimilar(started.similar, sent, asked);
        const lines = withFindings(sent, chunk, findings, detailOf).map((line, at) => {
          const finding = requestKey === null ? started.similar.get(chunk.from + at) : undefined;
          return finding ? lineOf(finding, line.Row, detailOf(finding)) : line;
        });
        const lineNumberOf = (row: number) => source.lines[row] ?? 0;
        const warnings =
          requestKey === null ? warningsOf(lines, chunk, started.sameEmails, lineNumberOf) : [];
        outcomes[chunk.index] = toOutcome(lines, chunk.from, lineNumberOf, isBoth, warnings);
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
    // An import follows the plan of the same file.
    const planned = input.requestKey === null ? undefined : work.current?.similar;
    const similar = planned ?? new Map();
    const begun = { input, findings: null, order: null, similar, sameEmails: new Map(), outcomes: [] };
    work.current = { ...begun, at: Date.now(), isKept: true };
    void resume();
  };
  const clear = () => {
    stopping.current?.abort();
    work.current = null;
    setRun(null);
  };
  return { run, start, resume, clear, stop: () => stopping.current?.abort() };
}

/**
 * Adds the rows for which the plan warns, and other rows of the same users. `rows` are those that were sent.
 */
function addSimilar(similar: Map<number, Finding>, sent: readonly Line[], rows: readonly number[]): void {
  const existing = new Map(
    sent.flatMap(({ LoginID, SimilarLoginID }) =>
      LoginID !== undefined && SimilarLoginID !== undefined ? [[LoginID, SimilarLoginID] as const] : [],
    ),
  );
  for (const [at, row] of rows.entries()) {
    const loginId = sent[at]?.LoginID ?? '';
    const value = existing.get(loginId);
    if (value === undefined) continue;
    similar.set(row, { code: 'similar_user', field: 'LoginID', value, loginId, otherLine: null });
  }
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
    return lineOf(finding, row - chunk.from + 1, detailOf(finding));
  });
}

function lineOf({ code, field, loginId }: Finding, Row: number, detail: string): Line {
  return {
    ...{ Row, Status: 422, code, detail },
    ...(field === null ? {} : { param: field }),
    ...(loginId === null ? {} : { LoginID: loginId }),
  };
}

export type Running = ReturnType<typeof useRun>;
