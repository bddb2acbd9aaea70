export { type FirestoreAnalysisRepoOptions, firestoreAnalysisRepo } from './firestore-analysis-repo.ts';
