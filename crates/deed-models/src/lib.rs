//! Model providers; for now the scripted model.
