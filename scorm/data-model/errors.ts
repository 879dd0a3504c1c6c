/** RTE 4th §3.1.7: the error conditions of the API, with the texts that `GetErrorString` returns. */
export const errors2004 = {
  0: 'No Error',
  101: 'General Exception',
  102: 'General Initialization Failure',
  103: 'Already Initialized',
  104: 'Content Instance Terminated',
  111: 'General Termination Failure',
  112: 'Termination Before Initialization',
  113: 'Termination After Termination',
  122: 'Retrieve Data Before Initialization',
  123: 'Retrieve Data After Termination',
  132: 'Store Data Before Initialization',
  133: 'Store Data After Termination',
  142: 'Commit Before Initialization',
  143: 'Commit After Termination',
  201: 'General Argument Error',
  301: 'General Get Failure',
  351: 'General Set Failure',
  391: 'General Commit Failure',
  401: 'Undefined Data Model Element',
  402: 'Unimplemented Data Model Element',
  403: 'Data Model Element Value Not Initialized',
  404: 'Data Model Element Is Read Only',
  405: 'Data Model Element Is Write Only',
  406: 'Data Model Element Type Mismatch',
  407: 'Data Model Element Value Out Of Range',
  408: 'Data Model Dependency Not Established',
} as const;

/** RTE 1.2 §3.3.5. */
export const errors12 = {
  0: 'No error',
  101: 'General exception',
  201: 'Invalid argument error',
  202: 'Element cannot have children',
  203: 'Element not an array. Cannot have count',
  301: 'Not initialized',
  401: 'Not implemented error',
  402: 'Invalid set value, element is a keyword',
  403: 'Element is read only',
  404: 'Element is write only',
  405: 'Incorrect data type',
} as const;

export type Error2004 = keyof typeof errors2004;
export type Error12 = keyof typeof errors12;
export type ErrorCode = Error2004 | Error12;

/** The text for a code, which the content passes as a string. Returns `''` for an unknown code. */
export function errorString(texts: typeof errors2004 | typeof errors12, code: string): string {
  return Object.hasOwn(texts, code) ? ((texts as Record<string, string>)[code] ?? '') : '';
}

/** The maximum length of error strings and diagnostics (RTE 4th §3.1.6). */
const longest = 255;

export function shorten(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
