import { Button, Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslations } from 'use-intl';
import { PageTexts, preloadPageTexts } from '../intl.tsx';

const Palette = lazy(async () => {
  const [{ Palette }] = await Promise.all([import('./palette.tsx'), preloadPageTexts()]);
  return {
    default: (props: { onClose: () => void }) => (
      <PageTexts>
        <Palette {...props} />
      </PageTexts>
    ),
  };
});

const isApple = /mac|iphone|ipad/i.test(navigator.userAgent);

/** Opens the search with a click, or with ⌘K or Ctrl+K from anywhere, even while typing. */
export function PaletteButton() {
  const t = useTranslations('shell');
  const [isOpen, setOpen] = useState(false);
  useHotkeys([['mod+K', () => setOpen(true)]], [], true);
  return (
    <>
      <Button
        variant="default"
        className="seek"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          <Kbd size="xs" aria-hidden visibleFrom="sm">
            {isApple ? '⌘K' : 'Ctrl K'}
          </Kbd>
        }
        aria-keyshortcuts={isApple ? 'Meta+K' : 'Control+K'}
        onClick={() => setOpen(true)}
      >
        <span className="seek-text">{t('search')}</span>
      </Button>
      {isOpen && (
        <Suspense>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
