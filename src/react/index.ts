export { type UseAutoSave, useAutoSave } from './use-auto-save.ts';
