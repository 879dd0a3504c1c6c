import './components.css';
import './console.css';
import { DirectionProvider, MantineProvider } from '@mantine/core';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Toast } from './parts/toast.tsx';
import { router } from './router.tsx';
import { BrandingProvider } from './shell/branding.tsx';
import { Texts } from './shell/intl.tsx';
import { resolveVariables, theme } from './theme.ts';

const nonce = document.querySelector('script')?.nonce ?? '';
setNonce(nonce);

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
// Only people who use the keyboard need it.
addEventListener('keydown', async () => (await import('./shell/lost-focus.ts')).restoreLostFocus(), {
  once: true,
});
createRoot(root).render(
  <StrictMode>
    <DirectionProvider detectDirection>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={resolveVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <Toast />
        <BrandingProvider>
          <Texts>
            <RouterProvider router={router} />
          </Texts>
        </BrandingProvider>
      </MantineProvider>
    </DirectionProvider>
  </StrictMode>,
);
