import type { LanguageMap } from './types.ts';

/** Browsers send about six language ranges at most. */
const maxRanges = 10;
const maxSubtags = 8;

/**
 * The ranges of an Accept-Language header, in order of preference (RFC 9110 §12.5.4). Ranges beyond the
 * maximum are ignored.
 */
export function readLanguages(header: string | undefined): string[] {
  const ranges = (header ?? '')
    .slice(0, 1_000)
    .split(',', maxRanges)
    .flatMap((part, at) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
      const quality = Number(/^q=([\d.]+)$/i.exec(parameters[0] ?? '')?.[1] ?? 1);
      const isLong = tag.split('-').length > maxSubtags;
      return tag === '' || isLong || Number.isNaN(quality) || quality <= 0
        ? []
        : [{ tag: tag.toLowerCase(), quality, at }];
    });
  return ranges.sort((a, b) => b.quality - a.quality || a.at - b.at).map(({ tag }) => tag);
}

/** Communication 2.1.3, `canonical`: a language map with only the best-matching entry (RFC 4647 §3.4). */
export function chooseLanguage(map: LanguageMap, languages: readonly string[]): LanguageMap {
  const tags = Object.keys(map);
  const best = bestByRange(tags);
  const chosen =
    [...languages, 'und']
      .flatMap((range) => (range === '*' ? ['*'] : prefixesOf(range)))
      .map((range) => best.get(range))
      .find((tag) => tag !== undefined) ?? tags[0];
  const text = chosen === undefined ? undefined : map[chosen];
  return chosen === undefined || text === undefined ? {} : { [chosen]: text };
}

/**
 * The best tag for each range: the tag equal to the range or, failing that, the first one that begins with
 * it.
 */
function bestByRange(tags: readonly string[]): Map<string, string> {
  const best = new Map(tags.toReversed().map((tag) => [tag.toLowerCase(), tag]));
  for (const tag of tags)
    for (const prefix of prefixesOf(tag.toLowerCase())) if (!best.has(prefix)) best.set(prefix, tag);
  const [first] = tags;
  return first === undefined ? best : best.set('*', first);
}

/** The range itself, followed by shorter and shorter versions of it. */
function prefixesOf(range: string): string[] {
  const parts = range.split('-');
  return parts.map((_, at) => parts.slice(0, parts.length - at).join('-'));
}
