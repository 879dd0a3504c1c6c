import './components.css';
import './console.css';
import { DirectionProvider, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './router.tsx';
import { Texts } from './shell/intl.tsx';
import { resolveVariables, theme } from './theme.ts';

const nonce = document.querySelector('script')?.nonce ?? '';
setNonce(nonce);

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <DirectionProvider detectDirection>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={resolveVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <Notifications position="bottom-right" />
        <Texts>
          <RouterProvider router={router} />
        </Texts>
      </MantineProvider>
    </DirectionProvider>
  </StrictMode>,
);
