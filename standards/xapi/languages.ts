import type { LanguageMap } from './types.ts';

/** The ranges of an Accept-Language header, the preferred first (RFC 9110 §12.5.4). */
export function readLanguages(header: string | undefined): string[] {
  const ranges = (header ?? '')
    .slice(0, 1_000)
    .split(',')
    .flatMap((part, at) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
      const quality = Number(/^q=([\d.]+)$/i.exec(parameters[0] ?? '')?.[1] ?? 1);
      return tag === '' || Number.isNaN(quality) || quality <= 0
        ? []
        : [{ tag: tag.toLowerCase(), quality, at }];
    });
  return ranges.sort((a, b) => b.quality - a.quality || a.at - b.at).map(({ tag }) => tag);
}

/** Communication 2.1.3, `canonical`: a language map with only the entry that suits best (RFC 4647 §3.4). */
export function chooseLanguage(map: LanguageMap, languages: readonly string[]): LanguageMap {
  const tags = Object.keys(map);
  const chosen =
    languages.map((range) => bestOf(tags, range)).find((tag) => tag !== undefined) ??
    bestOf(tags, 'und') ??
    tags[0];
  const text = chosen === undefined ? undefined : map[chosen];
  return chosen === undefined || text === undefined ? {} : { [chosen]: text };
}

function bestOf(tags: readonly string[], range: string): string | undefined {
  if (range === '*') return tags[0];
  const lower = tags.map((tag) => tag.toLowerCase());
  for (let prefix = range; prefix !== ''; prefix = prefix.slice(0, Math.max(0, prefix.lastIndexOf('-')))) {
    const exact = lower.indexOf(prefix);
    const at = exact >= 0 ? exact : lower.findIndex((tag) => tag.startsWith(`${prefix}-`));
    if (at >= 0) return tags[at];
  }
}
