import type { Api } from '../../api/api.tsx';
import { withQuery } from '../../parts/download.tsx';
import { truncatedResponse } from './call.ts';
import type { Source } from './source.ts';

export type GroupEnrolment = {
  group: string;
  /** The LoginIDs of selected users, which are used instead of a group. */
  users: readonly string[] | null;
  courseId: string;
  durationId: string;
  /** For people who are already enrolled. */
  ifEnrolled: 'return' | 'extend';
  /** Whether to enrol people who are not enrolled yet. */
  enrolsOthers: boolean;
};

type Listed = { LoginID: string; Status?: string };

/** Calls `onRow` for each record of a list, as its export arrives. */
async function readList(api: Api, path: string, signal: AbortSignal, onRow: (row: Listed) => void) {
  const headers = { ...api.headers, Accept: 'application/x-ndjson' };
  const response = await fetch(path, { headers, signal });
  if (!response.ok || !response.body) throw await response.json().catch(() => truncatedResponse);
  let rest = '';
  for (const reader = response.body.pipeThrough(new TextDecoderStream()).getReader(); ; ) {
    const { value, done } = await reader.read();
    if (done && rest !== '') throw truncatedResponse;
    if (done) return;
    const texts = (rest + value).split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) onRow(JSON.parse(text));
  }
}

/**
 * The selected users or everybody in the group. If nobody new is enrolled, only people whose latest enrolment can be
 * extended.
 */
async function peopleOf(api: Api, wanted: GroupEnrolment, signal: AbortSignal): Promise<readonly string[]> {
  if (wanted.users) return wanted.users;
  const { group: GroupName, courseId: CourseID, enrolsOthers } = wanted;
  const people = new Set<string>();
  if (enrolsOthers)
    await readList(api, withQuery('/user', { GroupName }), signal, ({ LoginID }) => people.add(LoginID));
  else
    await readList(
      api,
      withQuery('/enrolment', { GroupName, CourseID, Order: 'oldest' }),
      signal,
      ({ LoginID, Status }) => (Status === 'withdrawn' ? people.delete(LoginID) : people.add(LoginID)),
    );
  return [...people].sort();
}

/** The enrolments of a group as rows; null if there is nobody to enrol or extend. */
export async function groupSource(
  api: Api,
  wanted: GroupEnrolment,
  signal: AbortSignal,
): Promise<Source | null> {
  const people = await peopleOf(api, wanted, signal);
  if (people.length === 0) return null;
  const { courseId, durationId, ifEnrolled } = wanted;
  const cells = people.map((loginId) => [loginId, courseId, durationId, ifEnrolled]);
  return { columns: ['LoginID', 'CourseID', 'DurationID', 'IfEnrolled'], cells };
}
