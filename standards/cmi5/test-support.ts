import { courseStructureNamespace } from './course-structure-xsd.ts';

type Au = {
  id?: string;
  url?: string;
  attributes?: string;
  title?: string;
  objectives?: string;
  more?: string;
};

const text = (name: string, strings: string) => `<${name}>${strings}</${name}>`;
const described = text('description', '<langstring>About it</langstring>');

export function au({
  id = 'https://example.com/au',
  url = 'index.html',
  attributes = '',
  ...more
}: Au): string {
  const title = text('title', more.title ?? '<langstring lang="en">A part</langstring>');
  const inner = `${title}${described}${more.objectives ?? ''}<url>${url}</url>${more.more ?? ''}`;
  return `<au id="${id}" ${attributes}>${inner}</au>`;
}

export function block(id: string, children: string): string {
  const title = text('title', '<langstring lang="en">A block</langstring>');
  return `<block id="${id}">${title}${described}${children}</block>`;
}

export function courseStructure(children: string, { id = 'https://example.com/course' } = {}): string {
  const title = text('title', '<langstring lang="en">A course</langstring>');
  return `<?xml version="1.0" encoding="utf-8"?>
<courseStructure xmlns="${courseStructureNamespace}"><course id="${id}">${title}${described}</course>${children}</courseStructure>`;
}
