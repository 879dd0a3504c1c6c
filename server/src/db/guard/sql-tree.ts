export type Word = {
  kind: 'word' | 'symbol' | 'value';
  /** Words are lower-cased, except those in double quotes. */
  text: string;
  quoted: boolean;
};
export type Group = { kind: 'group'; nodes: Node[] };
export type Node = Word | Group;

export type SqlTree = { nodes: Node[]; comments: string[] };

const lexer = new RegExp(
  [
    /(?<space>\s+)/,
    /(?<comment>--[^\n]*)/,
    /(?<block>\/\*)/,
    /"(?<quoted>(?:[^"]|"")*)"/,
    /(?<escaped>e'(?:[^'\\]|\\[\s\S]|'')*')/,
    /(?<string>(?:[bxn]|u&)?'(?:[^']|'')*')/,
    /\$(?<tag>[a-z_]?\w*)\$/,
    /(?<value>\$\d+|\d[\w.]*)/,
    /(?<word>[\p{L}_][\p{L}\p{N}_$]*)/u,
    /(?<symbol>::|:=|=>|(?:(?!--|\/\*)[-+*/<>=~!@#%^&|`?])+|[\s\S])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'iuy',
);

/** Parses SQL into words, nested by parentheses. Text in strings and comments is never read as words. */
export function readSql(sql: string): SqlTree {
  const comments: string[] = [];
  const root: Node[] = [];
  const open: Node[][] = [root];
  lexer.lastIndex = 0;
  while (lexer.lastIndex < sql.length) {
    const found = lexer.exec(sql)?.groups;
    if (!found) throw new Error(`This SQL cannot be parsed: ${sql}`);
    const nodes = open.at(-1) ?? root;
    if (found.space !== undefined) continue;
    if (found.comment !== undefined) comments.push(found.comment.slice(2));
    else if (found.block !== undefined) comments.push(skipBlock(sql));
    else if (found.quoted !== undefined) nodes.push(word('word', found.quoted.replaceAll('""', '"'), true));
    else if (found.tag !== undefined) skipDollarQuote(sql, found.tag, nodes);
    else if (found.word !== undefined) nodes.push(word('word', found.word.toLowerCase()));
    else if (found.symbol === '(') {
      const group: Group = { kind: 'group', nodes: [] };
      nodes.push(group);
      open.push(group.nodes);
    } else if (found.symbol === ')') {
      if (open.length === 1) throw new Error(`A closing parenthesis has no opening one: ${sql}`);
      open.pop();
    } else if (found.symbol !== undefined) nodes.push(word('symbol', found.symbol));
    else nodes.push(word('value', found.value ?? "''"));
  }
  if (open.length > 1) throw new Error(`A parenthesis is not closed: ${sql}`);
  return { nodes: root, comments };
}

const word = (kind: Word['kind'], text: string, quoted = false): Word => ({ kind, text, quoted });

function skipBlock(sql: string): string {
  const marks = /\/\*|\*\//g;
  const start = lexer.lastIndex;
  marks.lastIndex = start;
  for (let depth = 1; depth > 0; ) {
    const mark = marks.exec(sql);
    if (!mark) throw new Error(`A comment is not closed: ${sql}`);
    depth += mark[0] === '/*' ? 1 : -1;
  }
  lexer.lastIndex = marks.lastIndex;
  return sql.slice(start, marks.lastIndex - 2);
}

function skipDollarQuote(sql: string, tag: string, nodes: Node[]): void {
  const mark = `$${tag}$`;
  const end = sql.indexOf(mark, lexer.lastIndex);
  if (end < 0) throw new Error(`A dollar quote is not closed: ${sql}`);
  lexer.lastIndex = end + mark.length;
  nodes.push(word('value', "''"));
}

/** The text of an unquoted word; empty for anything else. */
export const wordOf = (node: Node | undefined): string =>
  node?.kind === 'word' && !node.quoted ? node.text : '';

export const isWord = (node: Node | undefined, ...texts: string[]): boolean => {
  const text = wordOf(node);
  return text !== '' && texts.includes(text);
};

export const isSymbol = (node: Node | undefined, text: string): boolean =>
  node?.kind === 'symbol' && node.text === text;

/** The parts between separators at the same level. */
export function splitNodes(nodes: readonly Node[], isSeparator: (node: Node) => boolean): Node[][] {
  const parts: Node[][] = [[]];
  for (const node of nodes) {
    if (isSeparator(node)) parts.push([]);
    else parts.at(-1)?.push(node);
  }
  return parts.filter((part) => part.length > 0);
}
