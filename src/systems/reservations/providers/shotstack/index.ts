export { type ShotstackRenderOptions, shotstackRender } from './shotstack-render.ts';
