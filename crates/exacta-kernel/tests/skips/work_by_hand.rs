//! Only a permit holds work: nobody makes it, not even from the work of another run.
use exacta_kernel::id::RunId;
use exacta_kernel::permit::Work;

fn again(work: Work, run_id: RunId) -> Work {
    Work { run_id, ..work }
}

fn main() {}
