/**
 * The maximum length of a path in a package. In any script, an identifier of 255 characters is
 * shorter than this in every normalisation form.
 */
const maxLength = 1_024;

/**
 * More combining marks in a row than any script uses (UAX #15, Stream-Safe Text Format). Sorting them takes
 * time that grows with the square of their number: 8,000 took 80 ms, 128,000 took 25 s.
 */
const excessiveCombiningMarks = /\p{M}{31}/u;

export function hasExcessiveCombiningMarks(text: string): boolean {
  return excessiveCombiningMarks.test(text);
}

/**
 * The form in which identifiers and file names are compared, computed in linear time. Text that is too long, or that no
 * script would contain, is left unchanged.
 */
export function toNfc(text: string): string {
  return text.length > maxLength || hasExcessiveCombiningMarks(text) ? text : text.normalize('NFC');
}

/**
 * Characters that nobody sees and that keyboards do not produce: they come from web pages, mails and spreadsheets, or
 * imitate another name. Joiners and variation selectors stay where scripts and emoji need them.
 */
const invisible =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?<![[\p{L}\p{M}\p{Emoji_Modifier}\p{Extended_Pictographic}]--[\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\u0300-\u036f\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]][\u200c\u200d\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{0,8})[\u200c\u200d\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gv;

/** The form of every identifier, name and title: NFC, without invisible characters and surrounding spaces. */
export function cleanText(text: string): string {
  const nfc = toNfc(text);
  if (nfc.length > maxLength) return text;
  const visible = nfc.replaceAll(invisible, '');
  return toNfc(visible.length === nfc.length ? nfc : visible).trim();
}

const identifier = /IDs?$|^(?:Tenants|Recipients)$/;
const name = /Name$|^(?:Title|Groups?|Email|EmailAddress|Reference|PurchaseOrder)$/;
/** Fields that are null if they are blank, so that an exported file means the same as the record. */
const optional = /^(?:FirstName|LastName|GroupName|Email)$/;

/** Cleans the identifiers, names and titles among the fields of a request. Returns the names of the changed IDs. */
export function cleanFields(fields: unknown, { blankIsNull = false } = {}): string[] {
  if (typeof fields !== 'object' || fields === null) return [];
  const changed: string[] = [];
  for (const [field, value] of Object.entries(fields)) {
    const isId = identifier.test(field);
    if (!isId && !name.test(field)) continue;
    const clean = Array.isArray(value) ? value.map(cleaned) : cleaned(value);
    Reflect.set(fields, field, clean === '' && blankIsNull && optional.test(field) ? null : clean);
    if (isId && typeof value === 'string' && clean !== toNfc(value)) changed.push(field);
  }
  return changed;
}

const cleaned = (value: unknown): unknown => (typeof value === 'string' ? cleanText(value) : value);

/** Characters that have no decomposition, and how people type them. */
const plainLetters: Record<string, string> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ø: 'o', đ: 'd', ð: 'd', ł: 'l', ħ: 'h', ŋ: 'n', ı: 'i', ς: 'σ' },
  ...{ '’': "'", '‘': "'", ʼ: "'", '‐': '-', '‑': '-', '–': '-' },
};

/** Without case, the same in every locale and database. Two addresses with this key are the same. */
export function foldCase(text: string): string {
  return toNfc(cleanText(text).toLowerCase());
}

/** Without case and accents, the form in which texts are searched. */
export function fold(text: string): string {
  const plain = toNfkd(cleanText(text))
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '');
  return cleanText(plain.replaceAll(/[ßæœþøđðłħŋıς’‘ʼ‐‑–]/g, (letter) => plainLetters[letter] ?? letter));
}

/** Whether PostgreSQL can store the text in a column of the type `text` or `jsonb`. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Replaces characters that PostgreSQL cannot store, in text from outside the service. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Separates letters from their accents, for searching. Only the beginning of a long text is used. */
export function toNfkd(text: string): string {
  return text.slice(0, maxLength).normalize('NFKD');
}
