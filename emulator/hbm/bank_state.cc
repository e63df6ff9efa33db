#include "emulator/hbm/bank_state.h"

namespace moescope::emulator {
namespace {

void Raise(DramClock& earliest, DramClock clock) { earliest = std::max(earliest, clock); }

}  // namespace

void BankState::Issue(DramCommand command, std::uint32_t bank, std::uint64_t row, DramClock clock) {
  switch (command) {
    case DramCommand::kActivate:
      return Activate(bank, row, clock);
    case DramCommand::kPrecharge:
      open_row_[bank] = kClosed;
      Raise(activate_ready_[bank], clock + timing_.pre_to_act_bank);
      return;
    case DramCommand::kRead:
      return Column(bank, /*is_write=*/false, clock);
    case DramCommand::kWrite:
      return Column(bank, /*is_write=*/true, clock);
  }
}

void BankState::Activate(std::uint32_t bank, std::uint64_t row, DramClock clock) {
  open_row_[bank] = row;
  column_ready_[bank] = clock + timing_.act_to_column_bank;
  Raise(precharge_ready_[bank], clock + timing_.act_to_pre_bank);
  Raise(activate_ready_[bank], clock + timing_.act_to_act_bank);
  Raise(group_activate_[GroupOf(bank)], clock + timing_.act_to_act_group);
  Raise(channel_activate_, clock + timing_.act_to_act_or_pre_channel);
  const std::uint32_t pseudochannel = PseudochannelOf(bank);
  auto& recent = recent_activates_[pseudochannel];
  std::copy(recent.begin() + 1, recent.end(), recent.begin());
  recent.back() = clock + 1;
  DramClock& earliest = pseudo_activate_[pseudochannel];
  Raise(earliest, clock + timing_.act_to_act_pseudochannel);
  if (recent.front() != 0) {
    Raise(earliest, recent.front() - 1 + timing_.act_to_fifth_act_pseudochannel);
  }
}

void BankState::Column(std::uint32_t bank, bool is_write, DramClock clock) {
  const std::uint32_t group = GroupOf(bank);
  const std::uint32_t pseudochannel = PseudochannelOf(bank);
  const DramClock same_pseudochannel = clock + timing_.column_to_column_pseudochannel;
  const DramClock same_group = clock + timing_.column_to_column_group;
  if (is_write) {
    Raise(pseudo_write_[pseudochannel], same_pseudochannel);
    Raise(group_write_[group], same_group);
    Raise(pseudo_read_[pseudochannel], clock + timing_.write_to_read_pseudochannel);
    Raise(group_read_[group], clock + timing_.write_to_read_group);
    Raise(precharge_ready_[bank], clock + timing_.write_to_pre_bank);
  } else {
    Raise(pseudo_read_[pseudochannel], same_pseudochannel);
    Raise(group_read_[group], same_group);
    Raise(pseudo_write_[pseudochannel], clock + timing_.read_to_write_pseudochannel);
    Raise(precharge_ready_[bank], clock + timing_.read_to_pre_bank);
  }
}

bool BankState::AnyOpen() const {
  return std::any_of(open_row_.begin(), open_row_.end(),
                     [](std::uint64_t row) { return row != kClosed; });
}

DramClock BankState::EarliestPrechargeAll() const {
  DramClock earliest = channel_activate_;
  for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
    if (open_row_[bank] != kClosed) earliest = std::max(earliest, precharge_ready_[bank]);
  }
  return earliest;
}

DramClock BankState::EarliestActivateAll() const {
  return *std::max_element(activate_ready_.begin(), activate_ready_.end());
}

void BankState::PrechargeAll(DramClock clock) {
  for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
    if (open_row_[bank] != kClosed) Issue(DramCommand::kPrecharge, bank, 0, clock);
  }
}

void BankState::Refresh(DramClock clock) {
  for (DramClock& earliest : activate_ready_) Raise(earliest, clock + timing_.refresh_cycle);
}

}  // namespace moescope::emulator
