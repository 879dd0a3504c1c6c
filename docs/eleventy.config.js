// Builds docs/guide into the pages that the service shows at /docs/guide: `npm run build -- guide`.
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import highlight from '@11ty/eleventy-plugin-syntaxhighlight';
import { chapters } from './site/chapters.ts';

const home = import.meta.dirname;
const guide = join(home, 'guide');
const base = '/docs/guide';
const titleOf = (markdown) => /^# (.+)$/m.exec(markdown)?.[1] ?? '';
const addressOf = (name) => (name === 'index' ? base : `${base}/${name}`);
const slugOf = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/** All pages in reading order, each with its title and address. */
const navigation = chapters.map(({ title, pages }) => ({
  title,
  pages: pages.map((name) => ({
    name,
    address: addressOf(name),
    title: titleOf(readFileSync(join(guide, `${name}.md`), 'utf8')),
  })),
}));
const pages = navigation.flatMap(({ pages }) => pages);

const nameOf = ({ inputPath }) => relative(guide, join(process.cwd(), inputPath)).replace(/\.md$/, '');

/** Turns links to files, as used in the repository, into URLs of the site. */
function readLinks(markdown) {
  const images = new Set();
  const resolve = (env, href) => {
    const [path, fragment] = href.split('#');
    const file = join(dirname(join(guide, `${nameOf(env.page)}.md`)), path);
    if (!existsSync(file)) throw new Error(`${nameOf(env.page)}.md links to ${href}, which does not exist`);
    return { file, fragment };
  };
  const publish = (file) => {
    const name = relative(join(home, 'images'), file);
    images.add(name);
    return `${base}/images/${name}`;
  };
  markdown.core.ruler.push('links', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet('href');
      if (href && /^[\w./-]+\.md(#|$)/.test(href)) {
        const { file, fragment } = resolve(env, href);
        const address = addressOf(relative(guide, file).replace(/\.md$/, ''));
        token.attrSet('href', fragment ? `${address}#${fragment}` : address);
      }
      if (token.type === 'image') {
        const { file } = resolve(env, token.attrGet('src'));
        const dark = file.replace(/\.png$/, '-dark.png');
        token.attrSet('src', publish(file));
        if (existsSync(dark)) token.meta = { dark: publish(dark) };
      }
    }
  });
  return images;
}

/**
 * GitHub marks comments in `json` blocks as errors, so the pages use `jsonc`. The highlighter knows only
 * `json`.
 */
function nameLanguages(markdown) {
  markdown.core.ruler.push('languages', ({ tokens }) => {
    for (const token of tokens) if (/^(jsonc|ndjson)$/.test(token.info)) token.info = 'json';
  });
}

/** Gives headings the same IDs as GitHub does. */
function nameHeadings(markdown) {
  markdown.core.ruler.push('ids', ({ tokens, env }) => {
    env.sections = [];
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'heading_open') continue;
      const { content } = tokens[index + 1];
      const id = slugOf(content);
      token.attrSet('id', id);
      if (token.tag === 'h2') env.sections.push({ id, title: markdown.renderInline(content) });
    }
  });
}

/** Readers who prefer dark mode see the dark version of a picture if there is one. */
function darkenImages(markdown) {
  const { image } = markdown.renderer.rules;
  markdown.renderer.rules.image = (tokens, index, ...rest) => {
    const dark = tokens[index].meta?.dark;
    const source = dark ? `<source media="(prefers-color-scheme: dark)" srcset="${dark}">` : '';
    return `<picture>${source}${image(tokens, index, ...rest)}</picture>`;
  };
}

/** Wide tables and code scroll, so they must be reachable with a keyboard. */
function frameTables(markdown) {
  markdown.renderer.rules.table_open = () => '<div class="scroll" tabindex="0"><table>';
  markdown.renderer.rules.table_close = () => '</table></div>';
}

export default function configure(eleventy) {
  // The reference pages are derived, so git ignores them.
  eleventy.setUseGitIgnore(false);
  let images = new Set();
  eleventy.addPlugin(highlight, { preAttributes: { tabindex: 0 }, lineSeparator: '\n' });
  eleventy.amendLibrary('md', (markdown) => {
    nameLanguages(markdown);
    nameHeadings(markdown);
    frameTables(markdown);
    darkenImages(markdown);
    images = readLinks(markdown);
  });
  eleventy.addGlobalData('layout', 'page.njk');
  eleventy.addGlobalData('navigation', navigation);
  eleventy.addGlobalData('permalink', () => (data) => `${nameOf(data.page)}.html`);
  eleventy.addGlobalData('eleventyComputed.name', () => (data) => nameOf(data.page));
  eleventy.addFilter('titleOf', (name) => pages.find((page) => page.name === name)?.title);
  eleventy.addFilter('after', (name, step) => {
    const index = pages.findIndex((page) => page.name === name);
    return pages[index + step];
  });
  eleventy.addPassthroughCopy({ [relative(process.cwd(), join(home, 'site/assets'))]: 'assets' });
  eleventy.on('eleventy.after', ({ directories }) => {
    for (const name of images) {
      const target = join(directories.output, 'images', name);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(join(home, 'images', name), target);
    }
  });
  return {
    dir: { input: relative(process.cwd(), guide), includes: '../site' },
    markdownTemplateEngine: false,
    templateFormats: ['md'],
  };
}
