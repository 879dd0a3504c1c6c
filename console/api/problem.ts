import type { components } from '../../client/src/generated.ts';

export type ProblemDocument = components['schemas']['Problem'];

/** A failed call, as pages show it. `code` is the service's error code, or `unreachable` if there was no response. */
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

/** Converts an error of a query or mutation: a problem document (RFC 9457), or an exception without a response. */
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

export const signedOutCodes: readonly string[] = ['signed_out', 'unauthorized'];

export const isSignedOut = (thrown: unknown): boolean => signedOutCodes.includes(toFailure(thrown).code);
