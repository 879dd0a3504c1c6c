import type { components } from '../../client/src/generated.ts';

export type ProblemDocument = components['schemas']['Problem'];

/** How a failed call is shown; `code` is the service's own, or `unreachable` if there was no response. */
export type Failure = {
  code: string;
  status: number;
  title: string;
  detail: string;
  param: string | null;
  requestId: string | null;
  document: Record<string, unknown>;
};

function textOf(document: Record<string, unknown>, name: string): string | null {
  const value = document[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Converts whatever a query or mutation threw into a failure: a problem document (RFC 9457), or no response at all. */
export function toFailure(thrown: unknown): Failure {
  const document = typeof thrown === 'object' && thrown !== null ? (thrown as Record<string, unknown>) : {};
  const code = textOf(document, 'code');
  return {
    code: code ?? 'unreachable',
    status: typeof document.status === 'number' ? document.status : 0,
    title: textOf(document, 'title') ?? '',
    detail: code === null ? '' : (textOf(document, 'detail') ?? ''),
    param: textOf(document, 'param'),
    requestId: textOf(document, 'request_id'),
    document,
  };
}

export function isSignedOut(thrown: unknown): boolean {
  const { code } = toFailure(thrown);
  return code === 'signed_out' || code === 'unauthorized';
}
