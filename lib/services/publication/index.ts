export { amend } from './amend';
export { type PublishPreview, publishPreview } from './preview';
export { publish } from './publish';
