export { applyDataset } from './apply-dataset';
export { checkTransformFor } from './check-transform';
export { endLease, grantLease, readRows } from './read-rows';
export { setPolicy } from './set-policy';
