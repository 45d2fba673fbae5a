//! A model where nobody says anything.

use deed_models::catalogue::FindError;

use super::chooser::Choice;
use super::named::needs_key;
use super::{ModelChoiceError, ModelChooser, ModelNotice, PickedBy};
use crate::credentials::KeyPresence;

impl ModelChooser {
    pub(super) async fn unasked(
        &self,
        notices: &mut Vec<ModelNotice>,
    ) -> Result<Choice, ModelChoiceError> {
        let catalogue = self.catalogue();
        for info in catalogue.providers().filter(|info| !info.is_local) {
            match self.key_of(&info.id, Some(&info)).presence() {
                KeyPresence::Set(_) => {}
                KeyPresence::NotSet if !needs_key(&info) => {}
                // One fault of the file of keys is one of every provider.
                KeyPresence::Faulty(error) if notices.is_empty() => {
                    notices.push(ModelNotice::Key(error));
                    continue;
                }
                KeyPresence::Faulty(_) | KeyPresence::NotSet => continue,
            }
            match self.catalogue().default_of(&info.id) {
                Ok(found) => {
                    return Ok(Choice {
                        by: PickedBy::Key,
                        ..Choice::of(found)
                    });
                }
                Err(FindError::NoDefault { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.first_on_this_machine(notices).await
    }

    async fn first_on_this_machine(
        &self,
        notices: &mut Vec<ModelNotice>,
    ) -> Result<Choice, ModelChoiceError> {
        for server in self.local_servers().await {
            if let Some(model) = server.models.first() {
                notices.push(ModelNotice::Local {
                    model: model.id.clone(),
                    address: server.root.clone(),
                });
                return Ok(self.of_server(&server, model, PickedBy::LocalServer).await);
            }
        }
        // A key that is set and cannot be had is the likelier reason.
        let faulty = notices.iter().find_map(|notice| match notice {
            ModelNotice::Key(error) => Some(error.clone()),
            _ => None,
        });
        Err(faulty.map_or(ModelChoiceError::Nothing, ModelChoiceError::Key))
    }
}
