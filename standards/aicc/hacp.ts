/** A request in the AICC's HTTP protocol (CMI001, appendix A). Missing values are empty strings. */
export type HacpRequest = {
  /** In lower case. */
  command: string;
  version: string;
  sessionId: string;
  data: string;
};

/** The protocol's error codes that the service returns. */
export type HacpError = 0 | 1 | 3;

const fields = ['command', 'version', 'session_id', 'au_password', 'aicc_data'];

/**
 * Reads the form data of a request. Names can be in any case and order. Values can be unencoded, so an `&`
 * starts a new field only if the name of a known field follows it.
 */
export function readHacpRequest(body: Uint8Array): HacpRequest {
  const values = new Map<string, string[]>();
  let last: string[] | undefined;
  for (const part of new TextDecoder('latin1').decode(body).split('&')) {
    const equals = part.indexOf('=');
    const name = equals < 0 || equals > 40 ? '' : part.slice(0, equals).trim().toLowerCase();
    if (!fields.includes(name)) last?.push(part);
    else if (values.has(name)) last = undefined;
    else {
      last = [part.slice(equals + 1)];
      values.set(name, last);
    }
  }
  const value = (name: string) => decoded(values.get(name)?.join('&') ?? '');
  return {
    command: value('command').trim().toLowerCase(),
    version: value('version').trim(),
    sessionId: value('session_id').trim(),
    data: value('aicc_data'),
  };
}

/**
 * Forms encode a space as `+`. JavaScript's `escape()` instead encodes it as `%20`, does not encode a real
 * `+`, and encodes characters outside Latin-1 as `%u20AC`.
 */
function decoded(text: string): string {
  const hasSpaces = /[ \r\n]|%20/.test(text);
  const plain = hasSpaces ? text : text.replaceAll('+', ' ');
  if (/%u[0-9a-f]{4}/i.test(plain))
    return plain.replace(/%u([0-9a-f]{4})|%([0-9a-f]{2})/gi, (_, wide?: string, narrow?: string) =>
      String.fromCharCode(Number.parseInt(wide ?? narrow ?? '', 16)),
    );
  return decodeBytes(unescaped(plain));
}

/** Percent-decodes Latin-1 text to bytes. Percent signs that do not start an escape sequence are kept. */
function unescaped(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const [high, low] = code === percent ? [digitAt(text, at + 1), digitAt(text, at + 2)] : [-1, -1];
    const isEscape = high >= 0 && low >= 0;
    bytes[length++] = isEscape ? high * 16 + low : code;
    if (isEscape) at += 2;
  }
  return bytes.subarray(0, length);
}

const percent = 37;

/** The value of the hexadecimal digit at this position, or -1 if the character is not a digit. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at) | 32;
  if (code >= 97 && code <= 102) return code - 87;
  const digit = text.charCodeAt(at) - 48;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

function decodeBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const errorTexts: Record<HacpError, string> = {
  0: 'Successful',
  1: 'Invalid Command',
  3: 'Invalid Session ID',
};

/** The response, in the version of the request, because older content cannot read newer formats. */
export function hacpAnswer(answer: {
  error: HacpError;
  text?: string;
  version?: string;
  data?: string;
}): string {
  const { error, text = errorTexts[error], version = '', data } = answer;
  const lines = [`error=${error}`, `error_text=${text}`, `version=${answeredVersion(version)}`];
  return `${lines.join('\r\n')}\r\n${data === undefined ? '' : `aicc_data=${data}`}`;
}

const answeredVersion = (version: string) => (/^\d{1,2}(\.\d{1,2}){0,2}$/.test(version) ? version : '4.0');
