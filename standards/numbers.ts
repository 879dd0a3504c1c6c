/** The largest double has 309 digits before the decimal point. */
const maxLength = 400;

/**
 * Parses a decimal number as the standards define it. Also accepts a decimal comma. Returns null for any other
 * text.
 */
export function parseNumber(text: string | null | undefined): number | null {
  const plain = text?.trim().replace(',', '.') ?? '';
  if (plain.length > maxLength || !/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i.test(plain)) return null;
  const value = Number(plain);
  return Number.isFinite(value) ? value : null;
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

export function parseBoolean(text: string | null, otherwise: boolean): boolean {
  if (text === null) return otherwise;
  if (/^\s*(true|1|yes)\s*$/i.test(text)) return true;
  return /^\s*(false|0|no)\s*$/i.test(text) ? false : otherwise;
}

/** To two decimal places. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** 0–100. Scaled by min and max if both are given and valid; otherwise unscaled. */
export function scoreOf(raw: number | null, min: string | undefined, max: string | undefined): number | null {
  if (raw === null) return null;
  const [low, high] = [parseNumber(min), parseNumber(max)];
  if (low === null || high === null || high <= low) return rounded(clamp(raw, 0, 100));
  // The difference of two very large numbers is infinite, so the quotient would be NaN. Halving both numbers
  // first prevents this.
  const part = Number.isFinite(high - low) ? 1 : 0.5;
  return rounded(clamp(((raw * part - low * part) / (high * part - low * part)) * 100, 0, 100));
}
