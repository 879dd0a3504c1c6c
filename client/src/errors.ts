import type { Problem } from './generated.ts';

/** The codes of /docs/errors; those of OAuth and of proxies are other texts. */
export type ErrorCode = Problem['code'];

/** Thrown when a call fails. `code` is stable and meant for programs. */
export class LecternError extends Error {
  readonly code: ErrorCode | (string & {});
  /** The HTTP status. It is 0 if there was no response; `cause` then says why. */
  readonly status: number;
  /** What is wrong and what to do. */
  readonly detail: string;
  /** The field or parameter that caused the error. */
  readonly param: string | null;
  /** Identifies the request in the service's log. */
  readonly requestId: string | null;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | null;
  /** Everything the service returned, such as `AvailableEnrolOptions` or `differs`. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(input: {
    code: string;
    status: number;
    detail: string;
    requestId?: string | null;
    retryAfter?: number | null;
    members?: Record<string, unknown>;
    cause?: unknown;
  }) {
    super(`${input.code}: ${input.detail}`, input.cause === undefined ? {} : { cause: input.cause });
    this.name = 'LecternError';
    this.members = input.members ?? {};
    this.code = input.code;
    this.status = input.status;
    this.detail = input.detail;
    this.param = textOf(this.members.param);
    this.requestId = textOf(this.members.request_id) ?? input.requestId ?? null;
    this.retryAfter = input.retryAfter ?? null;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Reads a problem document (RFC 9457), an OAuth error (RFC 6749 §5.2), or a response from an intermediate proxy. */
export async function errorOf(response: Response): Promise<LecternError> {
  const { status } = response;
  const members = asObject(await response.text().catch(() => ''));
  const { code, error, detail, error_description: described } = members;
  return new LecternError({
    status,
    code: textOf(code) ?? textOf(error) ?? `http_${status}`,
    detail: textOf(detail) ?? textOf(described) ?? `The service responded with status ${status}.`,
    requestId: response.headers.get('x-request-id'),
    retryAfter: retryAfterOf(response),
    members,
  });
}

function asObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Reads `Retry-After`, a number of seconds or a date (RFC 9110 §10.2.3), and returns seconds. */
export function retryAfterOf(response: Response): number | null {
  const text = response.headers.get('retry-after')?.trim();
  if (!text) return null;
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000);
}
