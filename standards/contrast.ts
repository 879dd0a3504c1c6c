/** A brand colour as it can be used on light or on dark pages. All colours are written as #rrggbb. */
export type Shades = {
  /** Buttons. The brand colour itself, unless it would be hard to see on the page. */
  Fill: string;
  /** Text on `Fill`: white or black. At least 4.5:1. */
  OnFill: string;
  /** A light tint behind selected items. */
  Soft: string;
  /** Links, progress bars and focused fields. At least 4.5:1 on the page and on `Soft`. */
  Text: string;
};

export type Scheme = 'light' | 'dark';

/** WCAG 2.2, 1.4.3. */
const minText = 4.5;
/** The text identifies a button (1.4.11), so its shape only needs to be visible: yellow remains yellow. */
const minShape = 1.2;

const white = '#ffffff';
const black = '#000000';

/**
 * `ground` is the usual background. `extremes` are the darkest and the lightest one, with the one on which
 * text is hardest to read last.
 */
const grounds = {
  light: { ground: white, extremes: [white, '#f0f1f4'], towards: black },
  dark: { ground: '#191b20', extremes: ['#101114', '#2e2e2e'], towards: white },
} as const;

const softShare = 0.12;
const steps = 100;

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

/** WCAG 2.2: relative luminance. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2: contrast ratio, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** `share` of the way from one colour to the other. */
function mix(from: string, to: string, share: number): string {
  const target = channels(to);
  const mixed = channels(from).map((value, at) => Math.round(value + ((target[at] ?? 0) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** The colour nearest to the given one that has enough contrast on all backgrounds. */
function legible(colour: string, towards: string, min: number, backgrounds: readonly string[]): string {
  for (let step = 0; step < steps; step++) {
    const mixed = mix(colour, towards, step / steps);
    if (backgrounds.every((background) => contrast(mixed, background) >= min)) return mixed;
  }
  return towards;
}

export function shadesOf(colour: string, scheme: Scheme): Shades {
  const { ground, extremes, towards } = grounds[scheme];
  const Fill = legible(colour.toLowerCase(), towards, minShape, extremes);
  const Soft = mix(ground, Fill, softShare);
  return {
    Fill,
    OnFill: contrast(Fill, white) >= minText ? white : black,
    Soft,
    Text: legible(Fill, towards, minText, [extremes[1], Soft]),
  };
}
