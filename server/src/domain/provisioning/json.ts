/** Whatever a directory sends. Nothing about it is known until it has been checked. */
export type Json = unknown;
export type Resource = Record<string, Json>;

export const isRecord = (value: Json): value is Resource =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
