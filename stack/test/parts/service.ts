import './steady.ts';
