import { Stack, Text } from '@mantine/core';
import type { CSSProperties } from 'react';
import { useTranslations } from 'use-intl';
import { type Scheme, type Shades, shadesOf } from '../../../standards/contrast.ts';

type PreviewProps = { name: string; logo: string | null; colour: string | null };

/** The console's own colours, which tenants without a colour keep. */
const usual: Record<Scheme, Shades> = {
  light: { Fill: '#3d4ed8', OnFill: '#ffffff', Soft: '#dfe3ff', Text: '#3442bb' },
  dark: { Fill: '#5563e6', OnFill: '#ffffff', Soft: '#10153c', Text: '#9ea8ff' },
};

const schemes: readonly Scheme[] = ['light', 'dark'];

/** Shows how the tenant's pages will look, on light and on dark devices. */
export function BrandingPreview(props: PreviewProps) {
  return (
    <div className="brand-previews">
      {schemes.map((scheme) => (
        <SchemePreview key={scheme} scheme={scheme} {...props} />
      ))}
    </div>
  );
}

function SchemePreview({ scheme, name, logo, colour }: PreviewProps & { scheme: Scheme }) {
  const t = useTranslations('branding');
  const shades = colour ? shadesOf(colour, scheme) : usual[scheme];
  const { Fill, OnFill, Soft, Text: text } = shades;
  const style = { '--fill': Fill, '--on-fill': OnFill, '--soft': Soft, '--text': text } as CSSProperties;
  const isAdjusted = colour !== null && Fill !== colour.toLowerCase();
  return (
    <Stack gap={4}>
      <div
        className="brand-preview"
        data-scheme={scheme}
        role="img"
        aria-label={t(`preview.${scheme}`)}
        style={style}
      >
        <div className="brand-preview-bar">{logo ? <img src={logo} alt="" /> : name}</div>
        <div className="brand-preview-body">
          <span className="brand-preview-title">{t('preview.title')}</span>
          <span className="brand-preview-place">{t('preview.course')}</span>
          <span className="brand-preview-progress" />
          <span className="brand-preview-link">{t('preview.link')}</span>
          <span className="brand-preview-button">{t('preview.button')}</span>
        </div>
      </div>
      <Text size="xs" c="dimmed">
        {t(`preview.${scheme}`)}
        {isAdjusted && ` · ${t('adjusted', { colour: Fill })}`}
      </Text>
    </Stack>
  );
}
