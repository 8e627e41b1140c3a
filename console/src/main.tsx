import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { showColorScheme } from './app/color-scheme.ts';
import { Entry } from './app/App.tsx';
import { tellNonce } from './app/style-nonce.ts';

showColorScheme();
tellNonce();

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no element #root.');
createRoot(root).render(
  <StrictMode>
    <Entry />
  </StrictMode>,
);
