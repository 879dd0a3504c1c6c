import type { Commit, Receipt } from '../../src/modules/player/schemas.ts';

/** What became of a request: confirmed, not heard, or refused for good. */
export type Answer =
  | { kind: 'receipt'; receipt: Receipt }
  | { kind: 'unreachable' }
  | { kind: 'refused'; status: number; code: string; detail: string };

/** The limit of browsers for requests that outlive their page, less room for headers. */
const outlivingBytes = 60_000;

export const commitPath = (session: string) => `/play/${encodeURIComponent(session)}/commit`;

export async function sendCommit(session: string, commit: Commit, signal: AbortSignal): Promise<Answer> {
  const body = JSON.stringify(commit);
  try {
    const response = await fetch(commitPath(session), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal,
      keepalive: bytesOf(body) < outlivingBytes,
    });
    return answerOf(response.status, await response.text());
  } catch {
    return { kind: 'unreachable' };
  }
}

/** The content waits for its answer inside its own call, so the request must block. */
export function sendCommitBlocking(session: string, commit: Commit): Answer {
  const request = new XMLHttpRequest();
  try {
    request.open('POST', commitPath(session), false);
    request.setRequestHeader('content-type', 'application/json');
    request.send(JSON.stringify(commit));
  } catch {
    return { kind: 'unreachable' };
  }
  return answerOf(request.status, request.responseText);
}

/** For the last moment of a page: nobody will hear the answer. */
export function sendCommitLeaving(session: string, commit: Commit): void {
  const body = JSON.stringify(commit);
  const path = commitPath(session);
  if (navigator.sendBeacon(path, new Blob([body], { type: 'text/plain' }))) return;
  const keepalive = bytesOf(body) < outlivingBytes;
  fetch(path, { method: 'POST', body, keepalive }).catch(() => {});
}

function answerOf(status: number, text: string): Answer {
  const body = parse(text);
  if (status >= 200 && status < 300 && typeof body?.Number === 'number') {
    return { kind: 'receipt', receipt: body as Receipt };
  }
  // Anything that may pass by itself is worth another attempt, also a proxy's page in place of an answer.
  if (status < 400 || status >= 500 || status === 408 || status === 429) return { kind: 'unreachable' };
  return { kind: 'refused', status, code: String(body?.code ?? ''), detail: String(body?.detail ?? '') };
}

// biome-ignore lint/suspicious/noExplicitAny: the caller checks the field it needs
function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function bytesOf(text: string): number {
  return new Blob([text]).size;
}
