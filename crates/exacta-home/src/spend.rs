//! What autopilots spent on models, by the day: counted before it is spent, over all of the user's projects.

use crate::document::{self, Document};
use crate::file::Lock;
use crate::{Home, HomeError};
use exacta_kernel::autopilot::{Spending, spending};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How many costs are remembered: more than a day can have.
const REMEMBERED: usize = 2_000;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spent {
    spent: Vec<Cost>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cost {
    occasion: String,
    cents: u32,
    /// In UTC.
    day: String,
}

impl Document for Spent {
    const SCHEMA: &'static str = "exacta.autopilot-spend/1";
}

impl Home {
    /// Counts what an occasion is about to spend, if it may: of any number racing for the last cents, one does.
    ///
    /// # Errors
    /// Where it cannot be read or written.
    pub fn count_spend(&self, occasion: &str, cents: u32, day: &str, agreed: bool) -> Result<Spending, HomeError> {
        let (lock, file) = (Lock::on(&self.spend_folder())?, self.spend_file());
        let mut list: Spent = document::read(&file)?.unwrap_or_default();
        let sum = |of: &dyn Fn(&&Cost) -> bool| {
            list.spent.iter().filter(of).map(|cost| cost.cents).fold(0, u32::saturating_add)
        };
        let (so_far, today) = (sum(&|cost| cost.occasion == occasion), sum(&|cost| cost.day == day));
        let answer = spending(so_far, today, cents, agreed);
        if answer == Spending::Within {
            list.spent.push(Cost { occasion: occasion.to_owned(), cents, day: day.to_owned() });
            let old = list.spent.len().saturating_sub(REMEMBERED);
            list.spent.drain(..old);
            document::write(&lock, &file, &list)?;
        }
        Ok(answer)
    }

    /// It cost more than was counted for it.
    ///
    /// # Errors
    /// Where it cannot be read or written.
    pub fn add_spend(&self, occasion: &str, cents: u32, day: &str) -> Result<(), HomeError> {
        let (lock, file) = (Lock::on(&self.spend_folder())?, self.spend_file());
        let mut list: Spent = document::read(&file)?.unwrap_or_default();
        list.spent.push(Cost { occasion: occasion.to_owned(), cents, day: day.to_owned() });
        Ok(document::write(&lock, &file, &list)?)
    }

    fn spend_folder(&self) -> PathBuf {
        self.state.join("autopilots").join("spend")
    }

    fn spend_file(&self) -> PathBuf {
        self.spend_folder().join("spend.json")
    }
}
